/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tests/support/cmocka.h"
#include "tests/samples/test_samples_transcript.h"

#define ID "0b443b38120bcfd6245fef4e3d39c4f335981833"

static const struct {
	const char *text, *told;
} readable[] = {
	/* the lists of fields that users ask for */
	{"30335      7f1f2b1403b0 0x7f1f2b1403c3/0x7f1f2b1403b0/P/-/-/0/  0x10/0x20/M/-/-/0/ ",
	 "sample 30335 7f1f2b1403b0 '' 7f1f2b1403c3>7f1f2b1403b0 10>20!\n"},
	{"30335  0x10/0x20/P/-/-/0/  0x30/0x40/-/-/-/0/", "sample 30335 0 '' 10>20 30>40\n"},
	{"30335 0x10/0x20/P/-/-/0 0x30/0x40/M", "sample 30335 0 '' 10>20 30>40!\n"},
	{"30335 br_inst:u:      7f1f2b1403b0", "sample 30335 7f1f2b1403b0 'br_inst:u:' no stack\n"},
	{"   12  ffffffff815907ad", "sample 12 ffffffff815907ad '' no stack\n"},
	{"10130 ", "sample 10130 0 '' no stack\n"},
	{"   -1  404010", "sample 4294967295 404010 '' no stack\n"},
	{"          sq.b19 30335  2752.373629:        199 cycles:u:      7f1f2b1403b0 f+0xc0 (/lib/x)",
	 "sample 30335 7f1f2b1403b0 'cycles:u:' no stack\n"},
	{"  sq.b19 30335 2752.37: 199 cpu/event=0x3c,umask=0/u:   404010 [unknown] (/srv/b 0x1)",
	 "sample 30335 404010 'cpu/event=0x3c,umask=0/u:' no stack\n"},
	{"a 7/8 [003] K 2.000001: 9 cycles: 404010 f+0x0 (/b)",
	 "sample 7 404010 'cycles:' no stack\n"},
	{"a 7/8 [003]  0x10/0x20/P/-/-/0/", "sample 7 0 '' 10>20\n"},
	{"  x 7 1.5: 199 cycles: 404010 [unknown] (/b) 0x10(/b)/0x20(/lib (x)/y)/M/-/-/0/"
	 "  0x30(/b)/0x40([unknown])/P/-/-/0/",
	 "sample 7 404010 'cycles:' 10>20! 30>40\n"},
	/* other releases of perf: from 6.4 on a blank is before the path */
	{"  x 7 1.5: 199 cycles: 404010 [unknown] (/b) 0x10 (/b)/0x20 (/lib (x)/y)/M/-/-/0//-"
	 "  0x30 (/b)/0x40 ([unknown])/PN/-/-/0//- 0x50/0x60 (/b+0x60)/-/-/-/0//-",
	 "sample 7 404010 'cycles:' 10>20! 30>40- 50>60\n"},
	{"7 1.5: bpf: 0x10 (/b) 0x20 (/c) 0x30/0x40/P", "sample 7 10 'bpf:' 30>40\n"},
	{"7 1.5: bpf: 0x10 (/b) 0x20 (/c)", "sample 7 10 'bpf:' no stack\n"},
	{"7 0x10/0x20/P/-/-/0//- 0x30/0x40/M/X/A/12/COND_CALL/NON_SPEC_CORRECT_PATH",
	 "sample 7 0 '' 10>20 30>40!=other\n"},
	{"7 0x10/0x20/PN/-/-/0/COND/- 0x30/0x40/P/-/-/0/IND/-/AAB- 0x50/0x60/MN/-",
	 "sample 7 0 '' 10>20-=other 30>40=other 50>60!-\n"},
	/* Arm SPE: one branch, and where the one before it led to; one that was not taken, without
	   a target */
	{"7  404010  0x404010/0x404014/PN/-/-/12/COND/-  0x0/0x404000/-/-/-/0//- ",
	 "sample 7 404010 '' 404010>404014-=other 0>404000\n"},
	{"7 0x404010/0x0/-N/-/-/0", "sample 7 0 '' 404010>0-\n"},
	{"7 0x10/0x20/P/-/-/0 insn: 48 89 e5", "sample 7 0 '' 10>20\n"},
	{"7 0x10/0x20/P/-/-/0 0", "sample 7 0 '' 10>20\n"},
	{"7 0x10/0x20/P/-/-/0 br_cntr: AAB/-", "sample 7 0 '' 10>20\n"},
	/* kinds of branches: RET alone is distinguished; which it is is in the seventh field */
	{"7 0x10/0x20/P/-/-/0/RET/- 0x30/0x40/M/X/A/12345/RET 0x50/0x60/-/-/-/0/RET/-/AB",
	 "sample 7 0 '' 10>20=return 30>40!=return 50>60=return\n"},
	{"7  0x10/0x20/P/-/-/0/RET  0x30/0x40/P/-/-/0/  0x50/0x60/P/-/-/0/COND_RET",
	 "sample 7 0 '' 10>20=return 30>40 50>60=other\n"},
	{"7 0x10/0x20/P/-/-/0/ERET/- 0x30/0x40/P/-/-/0/SYSRET/- 0x50/0x60/P/-/-/0/RETX/-",
	 "sample 7 0 '' 10>20=other 30>40=other 50>60=other\n"},
	{"7 0x10/0x20/P/-/-/0/-/RET 0x30/0x40/P/-/-/RET/- 0x50/0x60/P/-/-/0/R 0x70/0x80/P/-/-/RET",
	 "sample 7 0 '' 10>20 30>40 50>60=other 70>80\n"},
	{"7 0x10(/RET/a)/0x20(/-/-/0/RET)/P/-/-/0/-/-", "sample 7 0 '' 10>20\n"},
	{"7 0x0/0xffffffffffffffff/P/-/-/0", "sample 7 0 '' 0>ffffffffffffffff\n"},
	/* a comm can hold anything */
	{"        my 12 app 30335  404010", "sample 30335 404010 '' no stack\n"},
	{"           12 34 30335/7  404010", "sample 30335 404010 '' no stack\n"},
	{"  kworker/1:2 3 30335 [001] 5.25: 9 cycles: 404010",
	 "sample 30335 404010 'cycles:' no stack\n"},
	{"my 12 app 30335 5.25: 9 cycles: 404010", "sample 30335 404010 'cycles:' no stack\n"},
	{"           12345 30335  404010", "sample 30335 404010 '' no stack\n"},
	{"    7 cpu-clock:            404010", "sample 7 404010 'cpu-clock:' no stack\n"},
	{"    7 cpu-clock:            404010 0x10/0x20/P", "sample 7 404010 'cpu-clock:' 10>20\n"},
	{"      cpu-clock: 30335  0x10/0x20/P", "sample 30335 0 '' 10>20\n"},
	/* call chains */
	{"a 7 1.5: 9 cycles: \n\t    404010 f+0x1 (/b)\n\t    404020 g (/b)\n\n7 12",
	 "sample 7 404010@/b 'cycles:' no stack\nsample 7 12 '' no stack\n"},
	{"7 cycles: \n\t    404010 f\n 0x10/0x20/P/-/-/0/  0x30/0x40/M/-/-/0/\n\n",
	 "sample 7 404010 'cycles:' 10>20 30>40!\n"},
	{"7 404010\n\t    404020 f\n", "sample 7 404010 '' no stack\n"},
	{"7 sched:sched_switch: prev_comm=a prev_pid=8",
	 "sample 7 0 'sched:sched_switch:' no stack\n"},
	/* an event that perf has no name for, with and without a period */
	{"sq 7 1.5: 199 raw 0x20c4:u:  7f10 f+0x1 (/b) 0x10/0x20/P",
	 "sample 7 7f10 'raw 0x20c4:u:' 10>20\n"},
	{"7 raw 0x20c4:u: 7f10 0x10/0x20/P", "sample 7 7f10 'raw 0x20c4:u:' 10>20\n"},
	{"a 7 8.5: raw 0x1: 404010", "sample 7 404010 'raw 0x1:' no stack\n"},
	/* the tabs of a call chain were lost */
	{"a 7 1.5: 9 cycles: \n   404010 f+0x1 (/b)\n404020 g (/b)\n\na 7 2.5: 9 cycles: \n 10 (/b)\n",
	 "sample 7 404010@/b 'cycles:' no stack\nsample 7 10@/b 'cycles:' no stack\n"},
	{"a 7 1.5: 9 cycles: \n 404010 add (/b)\n 404020\n7 2.5: 9 cycles: \n 10\n",
	 "sample 7 404010@/b 'cycles:' no stack\nsample 7 10 'cycles:' no stack\n"},
	{"4711\n 404010 f (/b)\n\n4712\n  10 add (/b)\n",
	 "sample 4711 404010@/b '' no stack\nsample 4712 10@/b '' no stack\n"},
	{"a 7 1.5: 9 cycles: \n 404010 f+0x1 (/b)\n 0x10/0x20/P\n",
	 "sample 7 404010@/b 'cycles:' 10>20\n"},
	{"a 7 1.5: 9 cycles: 30 f\n7 404010\n",
	 "sample 7 30 'cycles:' no stack\nsample 7 404010 '' no stack\n"},
	{"7 1.5: sched:a: \n7 1.5: sched:b: \n",
	 "sample 7 0 'sched:a:' no stack\nsample 7 0 'sched:b:' no stack\n"},
	{"10130 \n10131 404010\n\n10132 \n\n10133 404010\n",
	 "sample 10130 0 '' no stack\nsample 10131 404010 '' no stack\nsample 10132 0 '' no stack\nsample 10133 404010 '' no stack\n"},
	/* a blank line before a call chain */
	{"a 7 1.5: 9 cycles: \n\n\t 404010 f+0x1 (/b)\n\t 404020 g (/b)\n\na 7 2.5: 9 cycles: \n\n  10 h (/b)\n",
	 "sample 7 404010@/b 'cycles:' no stack\nsample 7 10@/b 'cycles:' no stack\n"},
	{"a 7 1.5: 9 cycles: \n\na 7 2.5: 9 cycles: 10\n",
	 "sample 7 0 'cycles:' no stack\nsample 7 10 'cycles:' no stack\n"},
	/* fields that have lines of their own: srcline, brstackinsn */
	{"a 7 1.5: 9 cycles: 30 f (/b)\n  main.c:7 0x10/0x20/P\na 7 2.5: 9 cycles: 40 f (/b)\n  /a b/prog[1136]\n",
	 "sample 7 30 'cycles:' 10>20\nsample 7 40 'cycles:' no stack\n"},
	{"a 7 1.5: 9 cycles: \n\t 30 f (/b)\n  main.c:7 (discriminator 2)\n\t 40 g (/b)\n  f+12\n 0x10/0x20/P",
	 "sample 7 30@/b 'cycles:' 10>20\n"},
	{"7 30 0x10/0x20/P\n\tmain+7:\n\t00000030\tinsn: eb d2   # PRED\n\n7 40 0x30/0x40/P\n\tf+1:\n",
	 "sample 7 30 '' 10>20\nsample 7 40 '' 30>40\n"},
	/* what perf prints to stderr */
	{"7 404010\n[ perf record: Woken up 1 times to write data ]\n[ perf record: Captured and wrote 0.014 MB - ]\n",
	 "sample 7 404010 '' no stack\n"},
	/* a colon alone is no event: here it is of the comm */
	{"7 : 12 404010", "sample 12 404010 '' no stack\n"},
	/* mappings */
	{"7 PERF_RECORD_MMAP2 7/8: [0x56508320b000(0xeb000) @ 0xb000 <" ID ">]: r-xp /srv/sq",
	 "map 7 56508320b000+eb000 @b000 x '/srv/sq' <" ID ">\n"},
	{"sq 7 1.5: PERF_RECORD_MMAP2 7/7: [0x1000(0x2000) @ 0 fe:00 10 16]: r--p /a b (deleted)",
	 "map 7 1000+2000 @0 - '/a b (deleted)' <>\n"},
	{"7 PERF_RECORD_MMAP2 7/7: [0x1000(0x2000) @ 0 00:00 0 0]: rwxp //anon\r",
	 "map 7 1000+2000 @0 x '//anon' <>\n"},
	{"7 PERF_RECORD_MMAP2 7/7: [0x1000(0x2000) @ 0 00:00 0 0]: r-xp ",
	 "map 7 1000+2000 @0 x '' <>\n"},
	{"7 PERF_RECORD_MMAP2 7/7: [0x1000(0x2000) @ 0 <0000000000>]: r-xp [vdso]",
	 "map 7 1000+2000 @0 x '[vdso]' <>\n"},
	{"7 PERF_RECORD_MMAP 7/7: [0x400000(0x1000) @ 0x10]: x /b 0x1/0x2/P",
	 "map 7 400000+1000 @10 x '/b 0x1/0x2/P' <>\n"},
	{"0 PERF_RECORD_MMAP -1/0: [0xffffffff81000000(0x120bb08) @ 0xffffffff81000000]: x [k]_text",
	 "map 4294967295 ffffffff81000000+120bb08 @ffffffff81000000 x '[k]_text' <>\n"},
	/* tasks */
	{"7 PERF_RECORD_COMM exec: sq.b19:7/7", "exec 7\n"},
	{"7 PERF_RECORD_COMM exec: a: b/c 1/2:7/7", "exec 7\n"},
	{"7 PERF_RECORD_COMM: exec:7/7", ""},
	{"7 PERF_RECORD_FORK(9:9):(7:8)", "fork 7 9\n"},
	{"7 PERF_RECORD_FORK(7:9):(7:7)", "fork 7 7\n"},
	{"7 PERF_RECORD_EXIT(7:9):(7:9)", "exit 7 9\n"},
	/* a tid alone finds its process */
	{"7 PERF_RECORD_FORK(7:9):(7:7)\na 9 1.5: 1 c: 404010\n",
	 "fork 7 7\nsample 7 404010 'c:' no stack\n"},
	{"7 PERF_RECORD_COMM: a:7/9\n9 404010\n", "sample 7 404010 '' no stack\n"},
	{"7 PERF_RECORD_FORK(7:9):(7:7)\n7 PERF_RECORD_FORK(9:9):(7:7)\n9 404010\n",
	 "fork 7 7\nfork 7 9\nsample 9 404010 '' no stack\n"},
	{"7 PERF_RECORD_FORK(7:9):(7:7)\na 9/9 1.5: 1 c: 404010\n",
	 "fork 7 7\nsample 9 404010 'c:' no stack\n"},
	/* perf2bolt's own text, in parts of so many bytes (hexadecimal); maps and tasks by their
	   time, then the samples */
	{"PERFTEXT;BUILDIDS=4;MMAP=3b;MAIN=9;TASK=4b;MEM=4\nabc\na 7 2.5: PERF_RECORD_MMAP 7/7: [0x1000(0x2000) @ 0]: x /b\n\n"
	 "9 404010\na 7 1.0: PERF_RECORD_FORK(8:8):(7:7)\na 7 2.5: PERF_RECORD_COMM exec: a:7/7\nmem\nbehind\n",
	 "fork 7 8\nexec 7\nmap 7 1000+2000 @0 x '/b' <>\nsample 9 404010 '' no stack\n"},
	{"PERFTEXT;MMAP=100\n7 PERF_RECORD_FORK(9:9):(7:8)\n7 x: PERF_RECORD_MMAP 7/7: [0x10(0x20) @ 0]: x /c\nno record\n",
	 "map 7 10+20 @0 x '/c' <>\n"},
	{"PERFTEXT;MAIN=ffffffffffffffff\n7 12\n", "sample 7 12 '' no stack\n"},
	/* ... of which the first ends within its last line, and the second with it */
	{"PERFTEXT;MAIN=3;TASK=1f\n7 12\n7 PERF_RECORD_FORK(9:9):(7:8)\n7 13\n",
	 "fork 7 9\nsample 7 12 '' no stack\n"},
	/* what does not matter */
	{"# a comment\n\n7 PERF_RECORD_LOST lost 4\n", ""},
	{"7 PERF_RECORD_NAMESPACES 7/7 - nr_namespaces: 7\n\t\t[0/net: 3/0xf]\n", ""},
};

static void every_readable_text(void **state)
{
	(void)state;
	for (size_t i = 0; i < BC_COUNT(readable); i++) {
		struct transcript t;
		if (!transcript_text(&t, readable[i].text, INPUT_PERF_SCRIPT))
			fail_msg("%s: %s", readable[i].text, t.err.text);
		assert_string_equal(t.text, readable[i].told);
		transcript_free(&t);
	}
}

static const struct {
	const char *line, *message;
} unreadable[] = {
	{"no number", "column 1: expected a process id, not 'no'"},
	{"7 hello",
	 "column 3: expected a time, an event or an address after the process id, not 'hello'"},
	{"7 0x10/20/P/-/-/0/",
	 "column 8: expected an address that begins with 0x, not '20/P/-/-/0/'"},
	{"7 0x10/0x20/Q/-/-/0/", "column 13: expected one of P, M and -, not 'Q/-/-/0/'"},
	{"7 0x10/0x20/", "column 13: expected one of P, M and -, but the line ends"},
	{"7 0x10/0x20", "column 12: expected a slash after the address, but the line ends"},
	{"7 0x10/0x2g/P/-", "column 11: expected a slash after the address, not 'g/P/-'"},
	{"7 0x10/0x/P/-",
	 "column 8: expected an address of 1 to 16 hexadecimal digits, not '0x/P/-'"},
	{"7 0x10/0x12345678901234567/P/-",
	 "column 8: expected an address of 1 to 16 hexadecimal digits, not '0x12345678901234567/P/-'"},
	{"7 0x10/0x20/P/-/-/00x30/0x40/P/-/-/0",
	 "column 21: expected the end of the branch stack entry, not 'x30/0x40/P/-/-/0'"},
	{"7 0x10/0x20/P/-/-/0 10/0x40/P/-",
	 "column 21: expected an address that begins with 0x, not '10/0x40/P/-'"},
	{"7 0x10/0x20 (/b)",
	 "column 12: expected a path in parentheses and the next field after it, not '(/b)'"},
	{"7 0x10/0x20 /b/P", "column 12: expected a slash after the address, not '/b/P'"},
	{"7 0x10(/b/0x20/P",
	 "column 7: expected a path in parentheses and the next field after it, not '(/b/0x20/P'"},
	{"7 PERF_RECORD_MMAP2 7: [0x1(0x2) @ 0 0 0]: r-xp /b", NULL}, /* pid alone is fine */
	{"7 PERF_RECORD_MMAP2 x/7: [0x1(0x2) @ 0 0 0]: r-xp /b",
	 "column 21: expected pid/tid, not 'x/7:'"},
	{"7 PERF_RECORD_MMAP2 7/7: 0x1(0x2)",
	 "column 24: expected the range of the mapping, not ':'"},
	{"7 PERF_RECORD_MMAP2 7/7: [0xg(0x2)",
	 "column 27: expected a hexadecimal number, not '0xg(0x2)'"},
	{"7 PERF_RECORD_MMAP2 7/7: [0x1(0x2) @ ]: r",
	 "column 38: expected the file offset of the mapping, not ']:'"},
	{"7 PERF_RECORD_MMAP2 7/7: [0x1(0xffffffffffffffff) @ 0]: r-xp /b", NULL},
	{"7 PERF_RECORD_MMAP2 7/7: [0x2(0xffffffffffffffff) @ 0]: r-xp /b",
	 "column 27: expected a mapping that ends inside the address space, not '0x2(0xffffffffffffffff)'"},
	{"7 PERF_RECORD_MMAP2 7/7: [0x1(0x2) @ 0 <abc>]: r-xp /b",
	 "column 41: expected a build-id, not 'abc>]:'"},
	{"7 PERF_RECORD_MMAP2 7/7: [0x1(0x2) @ 0",
	 "column 39: expected ]: after the range, but the line ends"},
	{"7 PERF_RECORD_FORK(7:8)", "column 24: expected :(, but the line ends"},
	{"7 PERF_RECORD_EXIT(7)", "column 20: expected pid:tid), not '7)'"},
	{"7 PERF_RECORD_COMM exec: sq",
	 "column 25: expected a name, a colon and pid/tid, not 'sq'"},
};

static void every_unreadable_line(void **state)
{
	(void)state;
	for (size_t i = 0; i < BC_COUNT(unreadable); i++) {
		struct transcript t;
		char text[256];
		snprintf(text, sizeof(text), "# 1\n%s\n1 2\n", unreadable[i].line);
		bool ok = transcript_text(&t, text, INPUT_PERF_SCRIPT);
		if (ok != !unreadable[i].message)
			fail_msg("%s: %s", unreadable[i].line, t.err.text);
		if (!ok) {
			assert_int_equal(t.err.code, BC_FORMAT);
			snprintf(text, sizeof(text), "input: line 2, %s", unreadable[i].message);
			assert_string_equal(t.err.text, text);
		}
		transcript_free(&t);
	}
}

static void symbolic_stacks_are_refused(void **state)
{
	static const char *const lines[] = {
		"30335      7f1f2b1403b0f.part.0+0xd3/f+0xc0/P/-/-/0/ g+0xd3/h/P/-/-/0/",
		"sq 7 1.5: 199 cycles: 404010 f+0x1 (/b) [unknown]/[unknown]/-/-/-/0/",
		"7 404010\n\tf+263:\n\t00007f4f62735e67\tinsn: 74 09    # PRED\n",
	};

	(void)state;
	for (size_t i = 0; i < BC_COUNT(lines); i++)
		for (int format = INPUT_AUTO; format <= INPUT_PERF_SCRIPT; format += 2) {
			struct transcript t;
			assert_false(transcript_text(&t, lines[i], (enum input_format)format));
			assert_int_equal(t.err.code, BC_UNSUPPORTED);
			assert_non_null(strstr(t.err.text, "-F pid,ip,brstack"));
			transcript_free(&t);
		}
}

#define MAP(pid, start, path)                                                                      \
	"a " pid " 1.0: PERF_RECORD_MMAP2 " pid "/" pid ": [0x" start                              \
	"(0x1000) @ 0 00:00 0 0]: r-xp " path "\n"
#define MAPPED(pid, start, path) "map " pid " " start "+1000 @0 x '" path "' <>\n"

/* Text without processes, as llvm-profgen asks for it: -F ip,brstack, also with call chains. */
static void samples_without_processes(void **state)
{
	static const struct {
		const char *text, *told;
	} rows[] = {
		/* of the only process; decimal digits in an address's column are none */
		{MAP("7", "1000",
		     "/b") "     7f1f2b1403b0 0x10/0x20/P/-/-/0/\n           401136 0x30/0x40/P\n",
		 MAPPED("7", "1000",
			"/b") "sample 7 7f1f2b1403b0 '' 10>20\nsample 7 401136 '' 30>40\n"},
		{MAP("7", "1000", "/b") "  401136 0x30/0x40/P\n",
		 MAPPED("7", "1000", "/b") "sample 401136 0 '' 30>40\n"},
		{MAP("7", "1000",
		     "/b") " 0x30/0x40/P\n2.5: 0x50/0x60/P\n  [003] 2.5: 404010 0x1/0x2/P\ncycles: 404010 f+0x1 (/b)\n",
		 MAPPED("7", "1000",
			"/b") "sample 7 0 '' 30>40\nsample 7 0 '' 50>60\nsample 7 404010 '' 1>2\n"
			      "sample 7 404010 'cycles:' no stack\n"},
		{MAP("7", "1000",
		     "/b") "            sq.b  0x30/0x40/P\n              sq 17           401136 f+0x1 0x1/0x2/P\n",
		 MAPPED("7", "1000", "/b") "sample 7 0 '' 30>40\nsample 17 401136 '' 1>2\n"},
		{MAP("7", "1000",
		     "/b") "\n\t          4005dc f+0x1 (/b)\n\t          400634\n 0x30/0x40/P\n\n\t 10\n\t 20\n 0x1/0x2/P\n",
		 MAPPED("7", "1000", "/b") "sample 7 4005dc@/b '' 30>40\nsample 7 10 '' 1>2\n"},
		/* of several, the one that mapped what is there */
		{MAP("7", "1000", "/b") MAP(
			 "8", "5000",
			 "/b") "             5010 0x30/0x40/P\n     1fff 0x1000/0x2000/P\n  9000 0x5fff/0x40/P\n",
		 MAPPED("7", "1000", "/b") MAPPED(
			 "8", "5000",
			 "/b") "sample 8 5010 '' 30>40\nsample 7 1fff '' 1000>2000\nsample 9000 0 '' 5fff>40\n"},
		/* ... which a child has, too, that mapped more of its own */
		{MAP("7", "1000", "/b") MAP("8", "1000", "/b") MAP("8", "5000", "/c") MAP(
			 "7", "7000",
			 "/c") "ffffffffffffffff 0x1010/0x5010/P\nffffffffffffffff 0x1010/0x7010/P\nffffffffffffffff 0x1010/0x1/P\nffffffffffffffff 0x1/0x2/P\n",
		 MAPPED("7", "1000", "/b") MAPPED("8", "1000", "/b") MAPPED("8", "5000", "/c") MAPPED(
			 "7", "7000",
			 "/c") "sample 8 ffffffffffffffff '' 1010>5010\nsample 7 ffffffffffffffff '' 1010>7010\n"
			       "sample 8 ffffffffffffffff '' 1010>1\nsample 7 ffffffffffffffff '' 1>2\n"},
		/* ... and has not executed another program since */
		{MAP("7", "1000", "/b") MAP("8", "1000", "/sh") "8 PERF_RECORD_COMM exec: c:8/8\n"
								"100a 0x1010/0x1020/P\n",
		 MAPPED("7", "1000", "/b")
			 MAPPED("8", "1000", "/sh") "exec 8\nsample 7 100a '' 1010>1020\n"},
	};
	static const struct {
		const char *text, *message;
	} refused[] = {
		{"7f1f2b1403b0 0x10/0x20/P/-/-/0/\n",
		 "names no process, and no line a mapping: print both (perf script"},
		{" 0x10/0x20/P/-/-/0/\n",
		 "names no process, and no line a mapping: print both (perf script"},
		{MAP("7", "1000", "/b") MAP("8", "1000", "/c") "100a 0x1010/0x1020/P\n",
		 "line 3, column 1: the sample names no process, and at its addresses the processes have different files"},
		{MAP("7", "1000", "/b") "7 0x10/0x20/P\n  100a 0x30/0x40/P\n",
		 "line 3, column 1: expected a process, which other samples name"},
	};

	(void)state;
	for (size_t i = 0; i < BC_COUNT(rows); i++) {
		struct transcript t;
		if (!transcript_text(&t, rows[i].text, INPUT_PERF_SCRIPT))
			fail_msg("%s: %s", rows[i].text, t.err.text);
		assert_string_equal(t.text, rows[i].told);
		transcript_free(&t);
	}
	for (size_t i = 0; i < BC_COUNT(refused); i++) {
		struct transcript t;
		assert_false(transcript_text(&t, refused[i].text, INPUT_PERF_SCRIPT));
		if (!strstr(t.err.text, refused[i].message))
			fail_msg("%s", t.err.text);
		transcript_free(&t);
	}
}

static void heads_of_text_in_parts(void **state)
{
	static const struct {
		const char *text, *message;
	} rows[] = {
		{"PERFTEXT;MAPS=1\n",
		 "input: line 1, column 10: expected a part and its size, not 'MAPS=1'"},
		{"PERFTEXT;MAIN\n",
		 "input: line 1, column 10: expected a part and its size, not 'MAIN'"},
		{"PERFTEXT;MAIN=x;TASK=1\n",
		 "input: line 1, column 10: expected a part and its size, not 'MAIN=x;TASK=1'"},
		{"PERFTEXT;MAIN=1;MAIN=1;MAIN=1;MAIN=1;MAIN=1;MAIN=1\n",
		 "input: line 1, column 45: expected a part and its size, not 'MAIN=1'"},
		{"PERFTEXT;MAIN=4\n\nx y\n", NULL}, /* 4 bytes end in the second line of the part */
	};

	(void)state;
	for (size_t i = 0; i < BC_COUNT(rows); i++) {
		struct transcript t;
		assert_false(transcript_text(&t, rows[i].text, INPUT_PERF_SCRIPT));
		assert_int_equal(t.err.code, BC_FORMAT);
		if (rows[i].message)
			assert_string_equal(t.err.text, rows[i].message);
		transcript_free(&t);
	}
}

/* More threads than the table has rows at first: all find their process. */
static void many_threads(void **state)
{
	enum { COUNT = 1000 };
	struct transcript t;
	char *text = malloc(COUNT * 64), *want = malloc(COUNT * 96);
	size_t used = 0, told = 0;

	(void)state;
	assert_true(text && want);
	for (unsigned i = 0; i < COUNT; i++)
		used += (size_t)snprintf(text + used, 64, "7 PERF_RECORD_FORK(7:%u):(7:7)\n",
					 100 + i);
	for (unsigned i = 0; i < COUNT; i++)
		used += (size_t)snprintf(text + used, 64, "%u 404010\n", 100 + i);
	assert_true(transcript_text(&t, text, INPUT_PERF_SCRIPT));
	for (unsigned i = 0; i < COUNT; i++)
		told += (size_t)snprintf(want + told, 96, "fork 7 7\n");
	for (unsigned i = 0; i < COUNT; i++)
		told += (size_t)snprintf(want + told, 96, "sample 7 404010 '' no stack\n");
	assert_string_equal(t.text, want);
	transcript_free(&t);
	free(text);
	free(want);
}

static void the_report_knows_times_and_lines(void **state)
{
	struct transcript t;

	(void)state;
	assert_true(transcript_text(&t, "# x\n7 404010\n\n7 PERF_RECORD_LOST lost 4\n",
				    INPUT_PERF_SCRIPT));
	assert_true(t.report.timeless);
	assert_int_equal(t.report.lines, 4);
	assert_int_equal(t.report.ignored, 3);
	transcript_free(&t);
	assert_true(transcript_text(&t, "a 7 1.25: 404010\n", INPUT_PERF_SCRIPT));
	assert_false(t.report.timeless);
	transcript_free(&t);
}

/* What shows nothing of a process is counted, each record once; what does is not. */
static void records_that_are_ignored(void **state)
{
	static const struct {
		const char *text;
		unsigned ignored;
	} rows[] = {
		{"0 PERF_RECORD_COMM exec: swapper:-1/0\n", 1}, /* the kernel's own */
		{"7 PERF_RECORD_COMM: a:7/7\n", 1},
		{"7 PERF_RECORD_LOST lost 4\n", 1},
		{"7 PERF_RECORD_MMAP 7/7: [0x1000(0x2000) @ 0]: x /b\n", 0},
		{"7 PERF_RECORD_COMM exec: a:7/7\n", 0},
		{"7 PERF_RECORD_FORK(9:9):(7:8)\n7 PERF_RECORD_EXIT(9:9):(7:8)\n", 0},
	};

	(void)state;
	for (size_t i = 0; i < BC_COUNT(rows); i++) {
		struct transcript t;
		assert_true(transcript_text(&t, rows[i].text, INPUT_PERF_SCRIPT));
		assert_int_equal(t.report.ignored, rows[i].ignored);
		transcript_free(&t);
	}
}

/* The address of a sample is in its chain only, of user code as an offset in a file. */
static const struct {
	const char *text, *told;
} chains[] = {
	{"b 7 1.5: 9 c: \n\t  10 f+0x1 (/b c)\n\t  20 g (/d)\n\n7 c: \n\t  10 f (/d)\n",
	 "sample 7 10@/b c 'c:' no stack\nsample 7 10@/d 'c:' no stack\n"},
	{"b 7 1.5: 9 c: \n\t  10 h (inlined)\n\t  10 g (inlined)\n\t  10 f+0x1 (/b c)\n\t  20 x (inlined)\n",
	 "sample 7 10@/b c 'c:' no stack\n"},
	{"b 7 1.5: 9 c: \n\tffffffff81000010 f ([kernel.kallsyms])\n\t  10 f+0x1 (/b c)\n",
	 "sample 7 ffffffff81000010 'c:' no stack\n"},
	{"b 7 1.5: 9 c: \n\t 7f10 [unknown] ([unknown])\n", "sample 7 7f10 'c:' no stack\n"},
	{"b 7 1.5: 9 c: \n\t 10 f\n", "sample 7 10 'c:' no stack\n"}, /* -F without dso */
	{"b 7 1.5: 9 c: \n\t 10 f (inlined)\n", "sample 7 10 'c:' no stack\n"},
	{"b 7 1.5: 9 c: \n\n", "sample 7 0 'c:' no stack\n"},
	{"b 7 1.5: 9 c: 30 f\n\t  10 f+0x1 (/b c)\n", "sample 7 30 'c:' no stack\n"},
	{"b 7 1.5: 9 c: \n\t  10 f+0x1 (/b c)\n 0x1/0x2/P\n", "sample 7 10@/b c 'c:' 1>2\n"},
};

static void addresses_in_chains(void **state)
{
	struct reader_options options = {.format = INPUT_PERF_SCRIPT};

	(void)state;
	for (size_t i = 0; i < BC_COUNT(chains); i++) {
		struct transcript t;
		if (!transcript_bytes(&t, chains[i].text, strlen(chains[i].text), &options))
			fail_msg("%s: %s", chains[i].text, t.err.text);
		assert_string_equal(t.text, chains[i].told);
		transcript_free(&t);
	}
}

/* Cut at the last line, which has no newline: what is whole is reported. */
static const struct {
	const char *text, *told;
	uint64_t line, at; /* 0: it is whole */
} open_ended[] = {
	{"7 404010\n7 0x10/0x2", "sample 7 404010 '' no stack\n", 2, 9},
	{"7 404010\nx", "sample 7 404010 '' no stack\n", 2, 9},
	{"7 404010\n7 PERF_RECORD_MMAP2 7/7: [0x10", "sample 7 404010 '' no stack\n", 2, 9},
	{"a 7 1.5: 9 cycles: \n\t    404010 f+0x1 (/b)\n0x10/0x",
	 "sample 7 404010@/b 'cycles:' no stack\n", 3, 43},
	/* the address of a sample whose stack was cut */
	{"a 7 1.5: 9 cycles: \n\t    404010 f+0x1 (/b)\n 0x10/0x20/P/-/-/0  0x30/0",
	 "sample 7 404010@/b 'cycles:' no stack\n", 3, 43},
	{"# 1\n7 0x10/0x20/P/-/-/0 0x30/0x40/P/-", "", 2, 4},
	/* all there */
	{"7 404010\n7 404020", "sample 7 404010 '' no stack\nsample 7 404020 '' no stack\n", 0, 0},
	{"7 404010\n\t    404020 f", "sample 7 404010 '' no stack\n", 0, 0},
	{"# 1\n7 0x10/0x20/P/-/-/0 0x30/0x40/P/-/-/0", "sample 7 0 '' 10>20 30>40\n", 0, 0},
	{"# 1\n7 0x10/0x20/P/-/-/0 0", "sample 7 0 '' 10>20\n", 0, 0},
	{"# 1\n7 0x10(/b)/0x20(/c/d e)/P/-/-/0 0x30(/b)/0x40([x])/P/-/-/0",
	 "sample 7 0 '' 10>20 30>40\n", 0, 0},
};

static void texts_that_end_within_a_line(void **state)
{
	struct reader_options options = {.format = INPUT_PERF_SCRIPT, .cut_will_do = true};

	(void)state;
	for (size_t i = 0; i < BC_COUNT(open_ended); i++) {
		struct transcript t;
		const char *text = open_ended[i].text;
		if (!transcript_bytes(&t, text, strlen(text), &options))
			fail_msg("%s: %s", text, t.err.text);
		assert_string_equal(t.text, open_ended[i].told);
		assert_int_equal(t.report.cut, open_ended[i].line != 0);
		assert_int_equal(t.report.cut_line, open_ended[i].line);
		assert_int_equal(t.report.cut_at, open_ended[i].at);
		transcript_free(&t);
	}
}

/* Damage is no cut where a line ends, where nothing is before it, and where nobody asked. */
static void damage_that_is_no_cut(void **state)
{
	static const struct {
		const char *text;
		bool cut_will_do;
	} rows[] = {{"7 404010\nx\n", true},
		    {"7 404010\nx\n7", true},
		    {"x", true},
		    {"7 404010\nx", false}};

	(void)state;
	for (size_t i = 0; i < BC_COUNT(rows); i++) {
		struct reader_options options = {.format = INPUT_PERF_SCRIPT,
						 .cut_will_do = rows[i].cut_will_do};
		struct transcript t;
		assert_false(transcript_bytes(&t, rows[i].text, strlen(rows[i].text), &options));
		assert_int_equal(t.err.code, BC_FORMAT);
		assert_non_null(strstr(t.err.text, "expected a process id, not 'x'"));
		transcript_free(&t);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_readable_text),
		cmocka_unit_test(every_unreadable_line),
		cmocka_unit_test(symbolic_stacks_are_refused),
		cmocka_unit_test(samples_without_processes),
		cmocka_unit_test(heads_of_text_in_parts),
		cmocka_unit_test(many_threads),
		cmocka_unit_test(the_report_knows_times_and_lines),
		cmocka_unit_test(records_that_are_ignored),
		cmocka_unit_test(addresses_in_chains),
		cmocka_unit_test(texts_that_end_within_a_line),
		cmocka_unit_test(damage_that_is_no_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
