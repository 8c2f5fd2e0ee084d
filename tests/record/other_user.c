/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What another user can do to a recorder that runs as root:
 *
 *   other_user large FILE MIB      runs code of an ELF file of MIB megabytes, of which one page is
 *                                  there and the others are holes
 *   other_user dense FILE MIB      the same with all of its bytes there
 *   other_user links FOLDER COUNT  maps COUNT hard links of one file, and sleeps
 *   other_user first FOLDER COUNT PROGRAM
 *                                  maps PROGRAM, and runs code of COUNT links of a file of 400 MB
 *   other_user maps FILE COUNT     maps COUNT pages of a file, each by itself, and sleeps
 *   other_user churn FILE          maps and unmaps in a loop, so that records are lost
 *   other_user opens FILE          runs code of one new file after the other, whose tables are as
 *                                  large as a recorder reads them
 *   other_user change FILE         runs code of a file, while its headers and its size change
 *
 * "ready" on stdout: it is done, or continues.  All end with SIGTERM.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <fcntl.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define PAGE 4096

#if defined(__x86_64__)
#define MACHINE EM_X86_64
/* mov $1 << 20, %eax; again: dec %eax; jnz again; ret */
static const uint8_t spin[] = {0xb8, 0, 0, 0x10, 0, 0xff, 0xc8, 0x75, 0xfc, 0xc3};
#elif defined(__aarch64__)
#define MACHINE EM_AARCH64
/* mov w0, #1 << 20; again: subs w0, w0, #1; b.ne again; ret */
static const uint32_t spin[] = {0x52a00200, 0x71000400, 0x54ffffe1, 0xd65f03c0};
#else
#define MACHINE EM_RISCV
/* lui a0, 256; again: addi a0, a0, -1; bnez a0, again; ret */
static const uint32_t spin[] = {0x00100537, 0xfff50513, 0xfe051fe3, 0x00008067};
#endif

static void must(int is_so, const char *what)
{
	if (is_so)
		return;
	perror(what);
	exit(1);
}

static void ready(void)
{
	puts("ready");
	fflush(stdout);
}

/* A program of so many bytes whose code is in its second page. */
static int make_program(const char *path, uint64_t size)
{
	struct {
		Elf64_Ehdr head;
		Elf64_Phdr code;
	} file = {
		.head = {.e_type = ET_DYN,
			 .e_machine = MACHINE,
			 .e_version = EV_CURRENT,
			 .e_phoff = sizeof(Elf64_Ehdr),
			 .e_ehsize = sizeof(Elf64_Ehdr),
			 .e_phentsize = sizeof(Elf64_Phdr),
			 .e_phnum = 1,
			 .e_shentsize = sizeof(Elf64_Shdr)},
		.code = {.p_type = PT_LOAD,
			 .p_flags = PF_R | PF_X,
			 .p_filesz = size,
			 .p_memsz = size,
			 .p_align = PAGE},
	};
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);

	memcpy(file.head.e_ident, ELFMAG, SELFMAG);
	file.head.e_ident[EI_CLASS] = ELFCLASS64;
	file.head.e_ident[EI_DATA] = ELFDATA2LSB;
	file.head.e_ident[EI_VERSION] = EV_CURRENT;
	must(fd >= 0 && ftruncate(fd, (off_t)size) == 0, path);
	must(pwrite(fd, &file, sizeof(file), 0) == sizeof(file), path);
	must(pwrite(fd, spin, sizeof(spin), PAGE) == sizeof(spin), path);
	return fd;
}

static void *map_code(int fd, void *at)
{
	int fixed = at ? MAP_FIXED : 0;
	void *code = mmap(at, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE | fixed, fd, PAGE);

	must(code != MAP_FAILED, "mmap");
	return code;
}

static void run(void *code)
{
	ready();
	for (;;)
		((void (*)(void))(uintptr_t)code)();
}

/* The same without holes. */
static int make_dense(const char *path, uint64_t size)
{
	int fd = make_program(path, size);
	char *bytes = malloc(1 << 20);

	must(bytes != NULL, "malloc");
	memset(bytes, 0x90, 1 << 20);
	for (uint64_t at = 2 * PAGE; at < size; at += 1 << 20) {
		size_t part = size - at < 1 << 20 ? (size_t)(size - at) : 1 << 20;
		must(pwrite(fd, bytes, part, (off_t)at) == (ssize_t)part, path);
	}
	free(bytes);
	return fd;
}

static void large(const char *path, uint64_t mib, int dense)
{
	run(map_code((dense ? make_dense : make_program)(path, mib << 20), NULL));
}

static void links(const char *folder, unsigned count)
{
	char first[512], other[512];

	snprintf(first, sizeof(first), "%s/0", folder);
	close(make_program(first, 2 * PAGE));
	for (unsigned i = 1; i < count; i++) {
		snprintf(other, sizeof(other), "%s/%u", folder, i);
		must(link(first, other) == 0, other);
		int fd = open(other, O_RDONLY | O_CLOEXEC);
		must(fd >= 0, other);
		map_code(fd, NULL);
		close(fd);
	}
	ready();
	for (;;)
		pause();
}

/* Whoever runs PROGRAM later finds it known already, and all that wait to be digested are of us. */
static void first(const char *folder, unsigned count, const char *program)
{
	void **code = calloc(count, sizeof(*code));
	int fd = open(program, O_RDONLY | O_CLOEXEC);
	char name[512], other[512];

	must(fd >= 0 && code != NULL, program);
	must(mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0) != MAP_FAILED, program);
	snprintf(name, sizeof(name), "%s/0", folder);
	close(make_dense(name, (uint64_t)400 << 20));
	for (unsigned i = 0; i < count; i++) {
		snprintf(other, sizeof(other), "%s/%u", folder, i);
		must(!i || link(name, other) == 0, other);
		fd = open(other, O_RDONLY | O_CLOEXEC);
		must(fd >= 0, other);
		code[i] = map_code(fd, NULL);
		close(fd);
	}
	ready();
	for (unsigned i = 0;; i = (i + 1) % count)
		((void (*)(void))(uintptr_t)code[i])();
}

/* Every second page of a range: neighbors would become one mapping. */
static void maps(const char *path, unsigned count)
{
	int fd = make_program(path, 2 * PAGE);
	char *room = mmap(NULL, (size_t)2 * PAGE * count, PROT_NONE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	must(room != MAP_FAILED, "mmap");
	for (unsigned i = 0; i < count; i++)
		map_code(fd, room + (size_t)2 * PAGE * i);
	ready();
	for (;;)
		pause();
}

static void churn(const char *path)
{
	int fd = make_program(path, 2 * PAGE);

	ready();
	for (;;)
		munmap(map_code(fd, NULL), PAGE);
}

/* 16,000 section headers and 1 MiB of names, nearly all of them holes. */
static void add_sections(int fd)
{
	const uint64_t mib = 1 << 20;
	const Elf64_Half count = 16000, names = 1;
	const uint64_t at = mib;
	const Elf64_Shdr section = {
		.sh_type = SHT_STRTAB, .sh_offset = 2 * mib, .sh_size = mib, .sh_addralign = 1};

	must(pwrite(fd, &section, sizeof(section), (off_t)(mib + sizeof(section))) ==
		     sizeof(section),
	     "section");
	must(pwrite(fd, &at, sizeof(at), offsetof(Elf64_Ehdr, e_shoff)) == sizeof(at) &&
		     pwrite(fd, &count, sizeof(count), offsetof(Elf64_Ehdr, e_shnum)) ==
			     sizeof(count) &&
		     pwrite(fd, &names, sizeof(names), offsetof(Elf64_Ehdr, e_shstrndx)) ==
			     sizeof(names),
	     "header");
}

static void opens(const char *path)
{
	ready();
	for (;;) {
		int fd = make_program(path, (uint64_t)3 << 20);
		add_sections(fd);
		void *code = map_code(fd, NULL);
		for (unsigned i = 0; i < 20; i++)
			((void (*)(void))(uintptr_t)code)();
		munmap(code, PAGE);
		close(fd);
		must(unlink(path) == 0, path);
	}
}

static void *run_code(void *code)
{
	for (;;)
		((void (*)(void))(uintptr_t)code)();
	return NULL;
}

/* The code runs from a copy of the page, which stays when the file ends before it. */
static void change(const char *path)
{
	int fd = make_program(path, 16 * PAGE);
	char *code = mmap(NULL, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE, fd, PAGE);
	pthread_t thread;

	must(code != MAP_FAILED, "mmap");
	code[PAGE - 1] = 1;
	must(pthread_create(&thread, NULL, run_code, code) == 0, "thread");
	ready();
	for (unsigned i = 0;; i++) {
		uint16_t many = i % 2 ? UINT16_MAX - 1 : 1;
		(void)!pwrite(fd, &many, sizeof(many), offsetof(Elf64_Ehdr, e_phnum));
		if (i % 64 == 0) {
			(void)!ftruncate(fd, i % 128 ? 100 : 0);
			(void)!ftruncate(fd, 16 * PAGE);
			close(make_program(path, 16 * PAGE));
		}
	}
}

int main(int argc, char **argv)
{
	const char *what = argc > 2 ? argv[1] : "", *path = argc > 2 ? argv[2] : "";
	uint64_t number = argc > 3 ? strtoull(argv[3], NULL, 10) : 0;

	if (!strcmp(what, "large") || !strcmp(what, "dense"))
		large(path, number, *what == 'd');
	else if (!strcmp(what, "links"))
		links(path, (unsigned)number);
	else if (!strcmp(what, "first") && argc > 4)
		first(path, (unsigned)number, argv[4]);
	else if (!strcmp(what, "maps"))
		maps(path, (unsigned)number);
	else if (!strcmp(what, "churn"))
		churn(path);
	else if (!strcmp(what, "opens"))
		opens(path);
	else if (!strcmp(what, "change"))
		change(path);
	fprintf(stderr, "usage: other_user large|dense|links|first|maps|churn|opens|change "
			"PATH [NUMBER [PROGRAM]]\n");
	return 2;
}
