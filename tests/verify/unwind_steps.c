/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Steps a program of x86-64 instruction by instruction, and shows where its call frame information
 * is wrong:
 *
 *   steps MOST PROGRAM [ARGUMENT]...
 *
 * Where the caller's frame is follows from what runs: at each call the stack pointer is noted, and
 * the callee's CFA is 8 above it until that frame is gone.  At each instruction of the program
 * libdw evaluates the rule of .eh_frame for the CFA with the registers of that moment.  Prints
 * "wrong ADDRESS RULE BY" for each address where the two differ, once, and in the end how many
 * instructions ran and how many different ones were compared.  After MOST instructions it stops.
 * It shares nothing with batconv: tests/verify/unwind_steps.py holds both against each other.
 */
#include <elfutils/libdw.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#define FRAMES_MOST 100000

/* What the rule of an address is; each address is asked for once. */
struct place {
	uint8_t known, reg; /* known: 0 not asked, 1 a register and an offset, 2 nothing that is
			       compared */
	bool told, ran;
	int64_t offset;
};

struct stepping {
	Dwarf_CFI *cfi;
	uint64_t base, start, end; /* of the program's code: where it is loaded, and its vaddrs */
	struct place *places;
	uint64_t cfas[FRAMES_MOST];
	size_t depth;
	uint64_t compared, wrong;
};

static void die(const char *what)
{
	fprintf(stderr, "steps: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void ask(struct stepping *s, uint64_t vaddr, struct place *p)
{
	Dwarf_Frame *frame;
	Dwarf_Op *ops;
	size_t count;

	p->known = 2;
	if (dwarf_cfi_addrframe(s->cfi, vaddr, &frame))
		return;
	if (!dwarf_frame_cfa(frame, &ops, &count) && count == 1) {
		bool wide = ops[0].atom == 0x92; /* bregx */
		uint64_t reg = wide ? ops[0].number : ops[0].atom - 0x70u;
		if (reg < 16) {
			p->known = 1;
			p->reg = (uint8_t)reg;
			p->offset = (int64_t)(wide ? ops[0].number2 : ops[0].number);
		}
	}
	free(frame);
}

static uint64_t value_of(const struct user_regs_struct *r, uint8_t reg)
{
	const uint64_t values[16] = {r->rax, r->rdx, r->rcx, r->rbx, r->rsi, r->rdi,
				     r->rbp, r->rsp, r->r8,  r->r9,  r->r10, r->r11,
				     r->r12, r->r13, r->r14, r->r15};

	return values[reg];
}

static void look(struct stepping *s, const struct user_regs_struct *r)
{
	uint64_t vaddr = r->rip - s->base;

	if (vaddr - s->start >= s->end - s->start || !s->depth)
		return;
	struct place *p = &s->places[vaddr - s->start];
	if (!p->known)
		ask(s, vaddr, p);
	s->compared += !p->ran && p->known == 1;
	p->ran = true;
	if (p->known != 1 || p->told)
		return;
	uint64_t is = value_of(r, p->reg) + (uint64_t)p->offset, must = s->cfas[s->depth - 1];
	if (is == must)
		return;
	p->told = true;
	s->wrong++;
	printf("wrong %" PRIx64 " r%u%+" PRId64 " by %" PRId64 "\n", vaddr, p->reg, p->offset,
	       (int64_t)(is - must));
}

/* The range of executable code of the file, and where it is loaded. */
static void find_code(struct stepping *s, pid_t pid, const char *path)
{
	char name[64], line[4352], *file = realpath(path, NULL);
	int fd = open(path, O_RDONLY);

	elf_version(EV_CURRENT);
	Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
	size_t count = 0;
	if (fd < 0 || !file || !elf || elf_getphdrnum(elf, &count))
		die(path);
	s->start = UINT64_MAX;
	uint64_t first = UINT64_MAX;
	for (size_t i = 0; i < count; i++) {
		GElf_Phdr p;
		if (!gelf_getphdr(elf, (int)i, &p) || p.p_type != PT_LOAD)
			continue;
		if (p.p_vaddr < first)
			first = p.p_vaddr;
		if (p.p_flags & PF_X && p.p_vaddr < s->start)
			s->start = p.p_vaddr;
		if (p.p_flags & PF_X && p.p_vaddr + p.p_memsz > s->end)
			s->end = p.p_vaddr + p.p_memsz;
	}
	s->cfi = dwarf_getcfi_elf(elf);
	s->places = calloc(s->end - s->start, sizeof(*s->places));
	if (!s->cfi || !s->places)
		die("no call frame information");
	snprintf(name, sizeof(name), "/proc/%d/maps", (int)pid);
	FILE *maps = fopen(name, "r");
	while (maps && fgets(line, sizeof(line), maps)) {
		if (!strstr(line, file))
			continue;
		s->base = strtoull(line, NULL, 16) - (first & ~UINT64_C(4095));
		fclose(maps);
		free(file);
		return;
	}
	die("not mapped");
}

static bool was_call(pid_t pid, const struct user_regs_struct *before,
		     const struct user_regs_struct *now)
{
	if (now->rsp != before->rsp - 8)
		return false;
	uint64_t back = (uint64_t)ptrace(PTRACE_PEEKDATA, pid, (void *)now->rsp, NULL);
	return back - before->rip >= 2 && back - before->rip <= 15;
}

int main(int argc, char **argv)
{
	static struct stepping s;
	struct user_regs_struct before, now;
	int status;

	if (argc < 3)
		return 2;
	uint64_t most = strtoull(argv[1], NULL, 10), count = 0;
	pid_t pid = fork();
	if (!pid) {
		personality(ADDR_NO_RANDOMIZE);
		if (ptrace(PTRACE_TRACEME, 0, NULL, NULL))
			_exit(77);
		int null = open("/dev/null", O_WRONLY);
		dup2(null, 1);
		execv(argv[2], argv + 2);
		_exit(127);
	}
	waitpid(pid, &status, 0);
	if (!WIFSTOPPED(status))
		return WIFEXITED(status) && WEXITSTATUS(status) == 77 ? 77 : 1;
	find_code(&s, pid, argv[2]);
	ptrace(PTRACE_GETREGS, pid, NULL, &before);
	for (; count < most; count++) {
		int signal =
			WIFSTOPPED(status) && WSTOPSIG(status) != SIGTRAP ? WSTOPSIG(status) : 0;
		if (ptrace(PTRACE_SINGLESTEP, pid, NULL, (void *)(long)signal) ||
		    waitpid(pid, &status, 0) < 0 || !WIFSTOPPED(status))
			break;
		ptrace(PTRACE_GETREGS, pid, NULL, &now);
		while (s.depth && s.cfas[s.depth - 1] <= now.rsp)
			s.depth--;
		if (was_call(pid, &before, &now) && s.depth < FRAMES_MOST)
			s.cfas[s.depth++] = now.rsp + 8;
		look(&s, &now);
		before = now;
	}
	kill(pid, SIGKILL);
	printf("%" PRIu64 " instructions ran, %" PRIu64 " of the program were compared, %" PRIu64
	       " are wrong\n",
	       count, s.compared, s.wrong);
	for (uint64_t i = 0; i < s.end - s.start; i++)
		if (s.places[i].ran && argc > 3 && getenv("STEPS_RAN"))
			printf("ran %" PRIx64 "\n", s.start + i);
	return 0;
}
