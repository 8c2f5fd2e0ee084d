/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Blocks of small functions, worked out by hand from docs/conversion.md, section
 * 4; what is said of BOLT there was seen with llvm-bolt 22 --print-cfg. */
#include "tests/code/test_code_code.h"

static struct code code;

#define GIVES(bytes, blocks)                                                                       \
	do {                                                                                       \
		code_init(&code, MACHINE_X86_64, bytes, sizeof(bytes) - 1);                        \
		code_gives(&code, blocks);                                                         \
		code_free(&code);                                                                  \
	} while (0)

static void one_block(void **state)
{
	(void)state;
	GIVES("\x31\xc0" /* xor %eax,%eax */ "\xc3", "0-2e");
}

static void if_else(void **state)
{
	(void)state;
	GIVES("\x85\xff"  /* 0: test %edi,%edi  */
	      "\x74\x03"  /* 2: je 7            */
	      "\x31\xc0"  /* 4: xor %eax,%eax   */
	      "\xc3"      /* 6: ret             */
	      "\x90\xc3", /* 7: nop; ret        */
	      "0-2>e 4-6 7-8");
}

static void loop(void **state)
{
	(void)state;
	GIVES("\x31\xc0" /* 0: xor %eax,%eax   */
	      "\xff\xc0" /* 2: inc %eax        */
	      "\x39\xf8" /* 4: cmp %edi,%eax   */
	      "\x75\xfa" /* 6: jne 2           */
	      "\xc3",    /* 8: ret             */
	      "0-0>e 2-6> 8-8");
}

/* The last instruction of a block is a nop, if the block ends with one. */
static void padding_inside(void **state)
{
	(void)state;
	GIVES("\x31\xc0"         /* 0: xor %eax,%eax   */
	      "\x0f\x1f\x40\x00" /* 2: nopl 0(%rax)    */
	      "\xff\xc8"         /* 6: dec %eax        */
	      "\x75\xfc"         /* 8: jne 6           */
	      "\xc3",
	      "0-2>e 6-8> a-a");
}

static void a_jump_joins_a_conditional_one(void **state)
{
	(void)state;
	GIVES("\x74\x03" /* 0: je 5            */
	      "\xeb\x02" /* 2: jmp 6           */
	      "\x90\x90" /* 4: nop; 5: nop     */
	      "\xc3",    /* 6: ret             */
	      "0-2e 4-4> 5-5> 6-6");
	/* not if it is a target itself */
	GIVES("\x74\x03" /* 0: je 5            */
	      "\xeb\x02" /* 2: jmp 6           */
	      "\x90\x90"
	      "\x75\xfa" /* 6: jne 2           */
	      "\xc3",
	      "0-0>e 2-2 4-4> 5-5> 6-6> 8-8");
	/* nor after one that leaves the function */
	GIVES("\x0f\x84\xfa\x03\x00\x00" /* 0: je g    */
	      "\xeb\xf8"                 /* 6: jmp 0           */
	      "\xc3",
	      "0-0>ce 6-6 8-8");
	/* but after a tail call, unreachable as it is */
	GIVES("\xe9\xfb\x03\x00\x00" /* 0: jmp g       */
	      "\xeb\xf9"             /* 5: jmp 0           */
	      "\xc3",
	      "0-5e 7-7");
}

static void calls_end_no_block(void **state)
{
	(void)state;
	GIVES("\xe8\xfb\x03\x00\x00" /* 0: call g      */
	      "\xff\xd0"             /* 5: call *%rax      */
	      "\x75\xfe"             /* 7: jne 7           */
	      "\xc3",
	      "0-5>ce 7-7> 9-9");
}

static void traps(void **state)
{
	(void)state;
	GIVES("\x0f\x0b\x90\xf4\x90\xcc\x90\xc3", /* ud2; nop; hlt; nop; int3; nop; ret */
	      "0-0e 2-3 4-7");
}

/* lock is an instruction of its own for LLVM, and so the last one is after it. */
static void a_lock_prefix(void **state)
{
	(void)state;
	GIVES("\xf0\xff\x07" /* 0: lock incl (%rdi) */
	      "\x75\xfe"     /* 3: jne 3            */
	      "\xc3",
	      "0-1>e 3-3> 5-5");
}

/* A jump to the end is one to nowhere, if there is padding. */
static void a_jump_past_the_end(void **state)
{
	(void)state;
	GIVES("\x75\x02\xeb\x01\xc3", /* jne 4; jmp 5; ret */
	      "0-0>e 2-2> 4-4");
}

static void refused(void **state)
{
	(void)state;
	GIVES("\xeb\x01\xb8\x00\x00\x00\x00\xc3", ""); /* into an instruction    */
	GIVES("\xe2\xfe\xc3", "");                     /* loop                   */
	GIVES("\x31\xc0\x06\xc3", "");                 /* 06: no instruction     */
	GIVES("\xc3\x06\x00", "");
	GIVES("\xc3\x00", "0-0e 1-1>"); /* add of what is after  */
}

static void an_address_of_its_own(void **state)
{
	(void)state;
	GIVES("\x48\x8d\x05\x01\x00\x00\x00" /* 0: lea 8(%rip),%rax */
	      "\x90\xc3",
	      "0-7>e 8-8e");
}

static void symbols(void **state)
{
	(void)state;
	code_init(&code, MACHINE_X86_64, "\x90\x90\x90\xc3", 4);
	code_label(&code, 2);
	code_gives(&code, "0-1>e 2-3e");
	code_label(&code, 4); /* at the end: none */
	code_gives(&code, "0-1>e 2-3e");
	code_label(&code, 5); /* in the padding: BOLT gives up */
	code_gives(&code, "");
	code_free(&code);
}

/* ... nor has a function those of the next one, up to which its padding goes. */
static void symbols_of_the_next_function(void **state)
{
	(void)state;
	code_init(&code, MACHINE_X86_64, "\x90\xc3", 2);
	code.functions[0].extent = CODE_G - CODE_BASE;
	code_gives(&code, "0-1e");
	code_label(&code, CODE_G - CODE_BASE);
	code_gives(&code, "0-1e");
	code_free(&code);
}

/* Nothing but the end of the address space limits the symbols of the last function. */
static void symbols_of_the_last_function(void **state)
{
	(void)state;
	code_init(&code, MACHINE_X86_64, "\x90\xc3", 2);
	code_put(&code, CODE_G, "\x90\x90\xc3", 3);
	code.functions[1].size = code.functions[1].extent = 3;
	code_label(&code, CODE_G - CODE_BASE + 2);
	code_gives_of(&code, 1, "0-1>e 2-2e");
	code_gives_of(&code, 0, "0-1e");
	code_free(&code);
}

/* A function elsewhere jumps into this one. */
static void a_branch_from_outside(void **state)
{
	(void)state;
	code_init(&code, MACHINE_X86_64, "\x90\x90\x90\xc3", 4);
	code_put(&code, CODE_G, "\xe9\xfd\xfb\xff\xff", 5); /* jmp f+2 */
	code.functions[1].size = code.functions[1].extent = 5;
	code_gives(&code, "0-1>e 2-3e");
	/* not one in the middle of an instruction */
	code_put(&code, CODE_G, "\xb8\xe9\xfc\xfb\xff\xff", 6);
	code.functions[1].size = code.functions[1].extent = 6;
	code_gives(&code, "0-3e");
	code_free(&code);
}

/* jcc with a distance of four bytes, to the middle of the function. */
static void a_far_conditional_branch_from_outside(void **state)
{
	(void)state;
	for (int condition = 0; condition < 16; condition++) {
		uint8_t jump[] = {0x0f, (uint8_t)(0x80 | condition), 0xfc, 0xfb, 0xff, 0xff};
		code_init(&code, MACHINE_X86_64, "\x90\x90\x90\xc3", 4);
		code_put(&code, CODE_G, jump, sizeof(jump));
		code.functions[1].size = code.functions[1].extent = sizeof(jump);
		code_gives(&code, "0-1>e 2-3e");
		code_free(&code);
	}
}

/* One that reaches beyond what is in the file. */
static void a_function_beyond_the_file(void **state)
{
	(void)state;
	code_init(&code, MACHINE_X86_64, "\x90\xc3", 2);
	code_gives(&code, "0-1e");
	code.segment.filesz = 2;
	code_gives(&code, "0-1e");
	code.functions[0].size = 3;
	code_gives(&code, "");
	code_free(&code);
}

/* A jump of one byte's distance, from after the function and from before it. */
static void a_short_branch_from_outside(void **state)
{
	static const struct {
		uint64_t f, g;
		const char *jump;
	} rows[] = {
		{CODE_BASE, CODE_BASE + 0x20, "\xeb\xe0"}, /* jmp f+2                 */
		{CODE_BASE, CODE_BASE + 0x20, "\x74\xe0"}, /* je f+2                  */
		{CODE_BASE, CODE_BASE + 0x80, "\xeb\x80"}, /* as far as it can be     */
		{CODE_BASE + 0x20, CODE_BASE, "\xeb\x20"},
		{CODE_BASE + 0x7f, CODE_BASE, "\x7f\x7f"}, /* jg f+2                  */
	};

	(void)state;
	for (size_t i = 0; i < BC_COUNT(rows); i++) {
		size_t which = rows[i].g < rows[i].f; /* functions ascend */
		code_init(&code, MACHINE_X86_64, "", 0);
		code_put(&code, rows[i].f, "\x90\x90\x90\xc3", 4);
		code_put(&code, rows[i].g, rows[i].jump, 2);
		code.functions[which].address = rows[i].f;
		code.functions[which].size = code.functions[which].extent = 4;
		code.functions[!which].address = rows[i].g;
		code.functions[!which].size = code.functions[!which].extent = 2;
		free(code.table.index.below);
		assert_true(functions_index(&code.table));
		code_gives_of(&code, which, "0-1>e 2-3e");
		code_free(&code);
	}
}

static const char switch_code[] = "\x48\x8d\x15\xf9\x07\x00\x00" /*  0: lea 0x1800(%rip),%rdx */
				  "\x48\x63\x04\xba"          /*  7: movslq (%rdx,%rdi,4),%rax  */
				  "\x90"                      /*  b: nop                        */
				  "\x48\x01\xd0"              /*  c: add %rdx,%rax              */
				  "\x3e\xff\xe0"              /*  f: notrack jmp *%rax          */
				  "\x90\x90\x90\x90\x90\xc3"; /* 12: nops; 17: ret              */

/* The table leads to 14, 16, the end (unreachable), and then to no code of f. */
static void relative_jump_table(void **state)
{
	(void)state;
	code_init(&code, MACHINE_X86_64, switch_code, sizeof(switch_code) - 1);
	code_put(&code, CODE_DATA, "\x14\xf8\xff\xff\x16\xf8\xff\xff\x18\xf8\xff\xff\0\0\0\0", 16);
	code_gives(&code, "0-fe 12-13> 14-15> 16-17");
	/* A table of one target is none. */
	code_put(&code, CODE_DATA + 4, "\0\0\0\0", 4);
	code_gives(&code, "0-fe 12-17");
	code_free(&code);
}

/* A table ends where code, be it another function's, refers to the next one. */
static void next_jump_table(void **state)
{
	(void)state;
	code_init(&code, MACHINE_X86_64, switch_code, sizeof(switch_code) - 1);
	code_put(&code, CODE_DATA, "\x14\xf8\xff\xff\x16\xf8\xff\xff\x0f\xf8\xff\xff\0\0\0\0", 16);
	code_gives(&code, "0-c>e f-f 12-13> 14-15> 16-17");
	/* g: lea 0x1808(%rip),%rcx: what leads to 17 from there leads to f from the first. */
	code_put(&code, CODE_G, "\x48\x8d\x0d\x01\x04\x00\x00\xc3", 8);
	code.functions[1].size = code.functions[1].extent = 8;
	code_gives(&code, "0-fe 12-13> 14-15> 16-17");
	/* What does not lead to code is no table. */
	code_put(&code, CODE_G, "\x48\x8d\x0d\x05\x04\x00\x00\xc3", 8);
	code_gives(&code, "0-c>e f-f 12-13> 14-15> 16-17");
	code_free(&code);
}

/* A case of the switch lies in the cold part of the function, and the next one does not. */
static void jump_table_with_a_cold_case(void **state)
{
	(void)state;
	code_init(&code, MACHINE_X86_64, switch_code, sizeof(switch_code) - 1);
	code_put(&code, CODE_DATA, "\x14\xf8\xff\xff\x00\xfc\xff\xff\x16\xf8\xff\xff\0\0\0\0", 16);
	code.functions[1].primary = code.functions[1].printed = "f.cold";
	code_gives(&code, "0-fe 12-13> 14-15> 16-17");
	/* The beginning of another function ends the table. */
	code.functions[1].primary = code.functions[1].printed = "g";
	code_gives(&code, "0-fe 12-17");
	code_free(&code);
}

/* What loads from a table is no case of the jump if it writes another register. */
static void a_table_for_another_register(void **state)
{
	static const char bytes[] =
		"\x48\x8b\x0c\xfd\x00\x18\x00\x00" /* 0: mov 0x1800(,%rdi,8),%rcx */
		"\xff\xe0"                         /* 8: jmp *%rax              */
		"\x90\xc3\x90\xc3";                /* a, c: nop; ret            */

	(void)state;
	code_init(&code, MACHINE_X86_64, bytes, sizeof(bytes) - 1);
	code_put(&code, CODE_DATA, "\x0a\x10\0\0\0\0\0\0\x0c\x10\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 24);
	assert_true(code_build(&code, 1)->unknown_jumps);
	code_free(&code);
}

/* A jump of which no table is known leads to no block of nops alone, whatever the next one begins
 * with. */
static void nops_between_blocks(void **state)
{
	static const char bytes[] = "\x74\x03"  /* 0: je 5                */
				    "\xff\xe0"  /* 2: jmp *%rax           */
				    "\x90"      /* 4: nop                 */
				    "\x90\xc3"; /* 5: nop; ret            */
	static const uint32_t f = 0;
	struct bc_error err;

	(void)state;
	code_init(&code, MACHINE_X86_64, bytes, sizeof(bytes) - 1);
	code_gives(&code, "0-0>e 2-2 4-4> 5-6");
	assert_true(cfg_build_code(&code.image, &code.table, &f, 1, 1, &code.cfg, &err));
	const struct graph_code *made = &cfg_find(&code.cfg, &code.functions[0])->code;
	assert_int_equal(made->first_next[1], 2); /* of the first block: 1 and 3 */
	assert_int_equal(made->first_next[2], 2);
	code_free(&code);
}

static void absolute_jump_table(void **state)
{
	static const char bytes[] = "\xff\x24\xfd\x00\x18\x00\x00" /* 0: jmp *0x1800(,%rdi,8) */
				    "\x90\xc3\x90\xc3";            /* 7, 9: nop; ret          */

	(void)state;
	code_init(&code, MACHINE_X86_64, bytes, sizeof(bytes) - 1);
	code_put(&code, CODE_DATA, "\x07\x10\0\0\0\0\0\0\x09\x10\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 24);
	code_gives(&code, "0-0>e 7-8 9-a"); /* 7: the jump can lead to it */
	code_free(&code);
}

/* An FDE with a table of call sites, one of which has a landing pad at 4. */
static void landing_pad(void **state)
{
	static const uint8_t frame[] = {
		0x14, 0,    0,  0, 0,    0,    0, 0, 1,    'z',  'L',  'R',  0,
		1,    0x78, 16, 2, 0x1b, 0x1b, 0, 0, 0,    0,    0, /* CIE: all relative     */
		0x14, 0,    0,  0, 0x1c, 0,    0, 0, 0xe0, 0xf5, 0xff, 0xff, 6,
		0,    0,    0,  4, 0xd7, 0,    0, 0, /* FDE: 1000, 6, 1b00    */
		0,    0,    0,  0, 0,    0,    0};
	static const uint8_t table[] = {0xff, 0xff, 1, 8, 0, 1, 0, 0, /* 0 to 1: none          */
					1,    3,    4, 1};            /* 1 to 4: pad at 4      */

	(void)state;
	code_init(&code, MACHINE_X86_64, "\x90\x90\x90\x90\x90\xc3", 6);
	code_put(&code, CODE_EH_FRAME, frame, sizeof(frame));
	code_put(&code, CODE_LSDA, table, sizeof(table));
	code_gives(&code, "0-3>e 4-5e");
	code_free(&code);
}

/* Bytes of .eh_frame or of a table of call sites. */
struct put {
	uint8_t bytes[128];
	size_t used;
};

static void put_le(struct put *p, uint64_t value, size_t size)
{
	for (size_t i = 0; i < size; i++)
		p->bytes[p->used++] = (uint8_t)(value >> 8 * i);
}

/* A pointer in an encoding without a base; LEB128 of small values. */
static void put_pointer(struct put *p, uint8_t encoding, uint64_t value)
{
	static const uint8_t sizes[16] = {8, 0, 2, 4, 8, 0, 0, 0, 8, 0, 2, 4, 8};
	size_t size = sizes[encoding & 0x0f];

	if (size) {
		put_le(p, value, size);
		return;
	}
	put_le(p, (value & 0x7f) | 0x80, 1);
	put_le(p, value >> 7 & 0x7f, 1);
}

static void put_length(struct put *p, size_t begin)
{
	struct put head = {.used = 0};

	put_le(&head, p->used - begin, 4);
	memmove(p->bytes + begin + head.used, p->bytes + begin, p->used - begin);
	memcpy(p->bytes + begin, head.bytes, head.used);
	p->used += head.used;
}

/* As above, with pointers of all encodings; what is not understood has no landing pad. */
static void encodings_of_landing_pads(void **state)
{
	static const struct {
		const char *augmentation;
		uint8_t version, personality, code, table, sites;
		bool types, understood;
	} rows[] = {
		{"zPLR", 1, 0x00, 0x02, 0x0a, 0x01, false, true},
		{"zPLR", 1, 0x9b, 0x03, 0x0b, 0x02, true, true},
		{"zPLR", 3, 0x03, 0x0b, 0x03, 0x03, true, true},
		{"zLR", 3, 0, 0x00, 0x00, 0x0a, false, true},
		{"zLPR", 1, 0x0c, 0x0c, 0x04, 0x0c, false, true},
		{"zRLB", 1, 0, 0x02, 0x02, 0x00, false, true},
		{"LR", 1, 0, 0x02, 0x02, 0x01, false, false}, /* no z: nothing is known   */
		{"zLRabcdefgh", 1, 0, 0x02, 0x02, 0x01, false,
		 false},                                       /* longer than any there is */
		{"zLR", 1, 0, 0x22, 0x02, 0x01, false, false}, /* from the text's beginning */
		{"zLR", 1, 0, 0x02, 0x82, 0x01, false, false}, /* through a pointer        */
		{"zLR", 1, 0, 0x02, 0x02, 0x31, false, false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct put frame = {.used = 0}, table = {.used = 0};
		put_le(&frame, 0, 4);
		put_le(&frame, rows[i].version, 1);
		for (const char *a = rows[i].augmentation;; a++) {
			put_le(&frame, (uint8_t)*a, 1);
			if (!*a)
				break;
		}
		put_le(&frame, 0x107801, 3); /* alignments, return register */
		put_le(&frame, 16, 1);
		for (const char *a = rows[i].augmentation + 1; *a; a++) {
			uint8_t encoding = *a == 'P' ? rows[i].personality :
					   *a == 'L' ? rows[i].table :
						       rows[i].code;
			if (strchr("PLR", *a))
				put_le(&frame, encoding, 1);
			if (*a == 'P')
				put_pointer(&frame, encoding, 0x1234);
		}
		put_length(&frame, 0);
		size_t fde = frame.used;
		put_le(&frame, fde + 4, 4);
		put_pointer(&frame, rows[i].code, CODE_BASE);
		put_pointer(&frame, rows[i].code, 6);
		size_t size = frame.used++;
		put_pointer(&frame, rows[i].table, CODE_LSDA);
		frame.bytes[size] = (uint8_t)(frame.used - size - 1);
		put_length(&frame, fde);
		put_le(&frame, 0, 4);

		put_le(&table, 0xff, 1);
		put_le(&table, rows[i].types ? 0 : 0xff, 1);
		if (rows[i].types)
			put_le(&table, 60, 1);
		struct put sites = {.used = 0};
		for (unsigned value = 1; value <= 3; value++) /* from 1, 2 bytes, pad at 4 */
			put_pointer(&sites, rows[i].sites, value == 3 ? 4 : value);
		put_le(&sites, 1, 1);
		put_le(&table, rows[i].sites, 1);
		put_le(&table, sites.used, 1);
		memcpy(table.bytes + table.used, sites.bytes, sites.used);
		code_init(&code, MACHINE_X86_64, "\x90\x90\x90\x90\x90\xc3", 6);
		code_put(&code, CODE_EH_FRAME, frame.bytes, frame.used);
		code_put(&code, CODE_LSDA, table.bytes, table.used + sites.used);
		code_gives(&code, rows[i].understood ? "0-3>e 4-5e" : "0-5e");
		code_free(&code);
	}
}

static void other_machines(void **state)
{
	(void)state;
	code_init(&code, MACHINE_AARCH64,
		  "\x60\x00\x00\xb4"  /* 0: cbz x0, c  */
		  "\x00\x00\x20\xd4"  /* 4: brk #0     */
		  "\x1f\x20\x03\xd5"  /* 8: nop        */
		  "\x00\x00\x3f\xd6"  /* c: blr x0     */
		  "\xc0\x03\x5f\xd6", /* 10: ret       */
		  20);
	code_gives(&code, "0-0>e 4-4 8-8> c-10");
	code_free(&code);
	code_init(&code, MACHINE_RISCV64,
		  "\x11\xc1"  /* 0: beqz a0, 4 */
		  "\x00\x00"  /* 2: unimp      */
		  "\x02\x95"  /* 4: jalr a0    */
		  "\x01\x00"  /* 6: nop        */
		  "\x82\x80", /* 8: ret        */
		  10);
	code_gives(&code, "0-0>e 2-2 4-8");
	code_free(&code);
}

/* The result does not depend on how many work. */
static void threads(void **state)
{
	(void)state;
	code_init(&code, MACHINE_X86_64, "\x75\x00\xc3", 3);
	assert_int_equal(code_build(&code, 4)->count, 2);
	assert_non_null(code.cfg.of[0]);
	assert_null(code.cfg.of[2]);
	assert_int_equal(code_build(&code, 1)->count, 2);
	assert_int_equal(cfg_find(&code.cfg, &code.functions[1])->count, 1);
	code_free(&code);
}

#define TEST(name) cmocka_unit_test(name)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(one_block),
		TEST(if_else),
		TEST(loop),
		TEST(padding_inside),
		TEST(a_jump_joins_a_conditional_one),
		TEST(calls_end_no_block),
		TEST(traps),
		TEST(a_lock_prefix),
		TEST(a_jump_past_the_end),
		TEST(refused),
		TEST(an_address_of_its_own),
		TEST(symbols),
		TEST(symbols_of_the_next_function),
		TEST(symbols_of_the_last_function),
		TEST(a_branch_from_outside),
		TEST(a_far_conditional_branch_from_outside),
		TEST(a_short_branch_from_outside),
		TEST(a_function_beyond_the_file),
		TEST(relative_jump_table),
		TEST(next_jump_table),
		TEST(jump_table_with_a_cold_case),
		TEST(absolute_jump_table),
		TEST(a_table_for_another_register),
		TEST(nops_between_blocks),
		TEST(landing_pad),
		TEST(encodings_of_landing_pads),
		TEST(other_machines),
		TEST(threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
