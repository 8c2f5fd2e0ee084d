/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/samples/code_images.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/vec.h"
#include "src/elf/load.h"
#include "src/isa/insn.h"

void walk_blocks_free(struct walk_blocks *blocks)
{
	walk_block_vec_free(&blocks->all);
	map_free(&blocks->by_start);
}

static uint64_t hash_of(uint64_t seed, uint64_t vaddr)
{
	return hash_end(hash_mix(seed, vaddr));
}

static bool begins_at(const struct walk_block *all, uint32_t number, uint64_t vaddr)
{
	return all[number].start == vaddr;
}
DEFINE_MAP(by_start, const struct walk_block *, uint64_t, hash_of, begins_at);

/* The bytes of code from an address on, of segments that are run. */
static struct bytes code_at(const struct image *image, uint64_t vaddr)
{
	const struct segment *segment = image_segment_at(image, (struct vaddr){vaddr});

	return segment && segment->executable ? image_bytes_at(image, (struct vaddr){vaddr}) :
						(struct bytes){NULL, 0};
}

/* Intel PT has no bit for XBEGIN (c7 f8 and four bytes): a transaction that fails is reported
 * otherwise. */
static bool is_xbegin(struct bytes code, const struct insn *insn)
{
	return insn->size >= 6 && code.data[insn->size - 6] == 0xc7 &&
	       code.data[insn->size - 5] == 0xf8;
}

/* A jump of APX with an address of eight bytes after opcode a1: Intel PT has a target for it. */
static bool is_jmpabs(struct bytes code, const struct insn *insn)
{
	return insn->size >= 11 && code.data[insn->size - 9] == 0xa1;
}

static enum block_end end_of_x86(struct bytes code, const struct insn *insn)
{
	switch ((enum insn_kind)insn->kind) {
	case INSN_NEXT: break;
	case INSN_CALL: return ENDS_CALL;
	case INSN_CALL_INDIRECT: return ENDS_CALL_INDIRECT;
	case INSN_CONDITIONAL: return is_xbegin(code, insn) ? ENDS_CUT : ENDS_CONDITIONAL;
	case INSN_JUMP: return is_jmpabs(code, insn) ? ENDS_JUMP_INDIRECT : ENDS_JUMP;
	case INSN_JUMP_INDIRECT: return ENDS_JUMP_INDIRECT;
	case INSN_RETURN: return ENDS_RETURN;
	case INSN_SYSTEM: return ENDS_SYSTEM;
	case INSN_BREAK:
	case INSN_TRAP: return ENDS_NEVER;
	}
	return ENDS_CUT;
}

/* Arm Architecture Reference Manual, barriers and hints: ISB with any option; WFE, WFI; WFET and
 * WFIT with a register. */
static enum block_end end_of_aarch64(struct bytes code, const struct insn *insn)
{
	uint32_t word = le32(code.data);

	switch ((enum insn_kind)insn->kind) {
	case INSN_NEXT: break;
	case INSN_CALL: return ENDS_CALL;
	case INSN_CALL_INDIRECT: return ENDS_CALL_INDIRECT;
	case INSN_CONDITIONAL: return ENDS_CONDITIONAL;
	case INSN_JUMP: return ENDS_JUMP;
	case INSN_JUMP_INDIRECT: return ENDS_JUMP_INDIRECT;
	case INSN_RETURN: return ENDS_RETURN;
	case INSN_SYSTEM: return ENDS_SYSTEM;
	case INSN_BREAK:
	case INSN_TRAP: return ENDS_NEVER;
	}
	if ((word & 0xfffff0ff) == 0xd50330df)
		return ENDS_SYNC;
	if (word == 0xd503205f || word == 0xd503207f || (word & 0xffffffc0) == 0xd5031000)
		return ENDS_WAIT;
	return ENDS_CUT;
}

/* ENDS_CUT: the code continues.  Without a size: ENDS_NEVER. */
static enum block_end end_of(const struct walk_blocks *blocks, struct bytes code, uint64_t vaddr,
			     struct insn *insn)
{
	*insn = insn_decode(blocks->image->machine, code, vaddr);
	if (!insn->size && !decoder_next(blocks->decoder, code, vaddr, insn))
		return ENDS_NEVER;
	return blocks->image->machine == MACHINE_X86_64 ? end_of_x86(code, insn) :
							  end_of_aarch64(code, insn);
}

static bool can_begin(const struct walk_blocks *blocks, uint64_t vaddr)
{
	return blocks->image->machine == MACHINE_X86_64 || !(vaddr & 3);
}

static struct walk_block decode(const struct walk_blocks *blocks, uint64_t start)
{
	struct walk_block block = {.start = start, .end = ENDS_NEVER};
	struct bytes code =
		can_begin(blocks, start) ? code_at(blocks->image, start) : (struct bytes){NULL, 0};
	uint64_t most = WALK_BLOCK_BYTES - start % WALK_BLOCK_BYTES;

	while (code.size) {
		struct insn insn;
		block.end = (uint8_t)end_of(blocks, code, start + block.length, &insn);
		if (block.end == ENDS_NEVER || insn.size > code.size) {
			block.end = ENDS_NEVER;
			break;
		}
		block.target = insn.target;
		block.size = insn.size;
		if (block.end != ENDS_CUT)
			break;
		block.length += insn.size;
		block.size = 0;
		block.target = 0;
		code = bytes_from(code, insn.size);
		if (block.length >= most)
			break;
		block.end = ENDS_NEVER;
	}
	return block;
}

bool walk_blocks_at(struct walk_blocks *blocks, uint64_t vaddr, uint32_t *number)
{
	if (by_start_find(&blocks->by_start, blocks->all.at, vaddr, number))
		return true;
	*number = (uint32_t)blocks->all.len;
	if (blocks->all.len > MAP_NUMBER_MOST - 1 || !map_reserve(&blocks->by_start, 1) ||
	    !walk_block_vec_push(&blocks->all, decode(blocks, vaddr)))
		return false;
	by_start_put(&blocks->by_start, vaddr, *number);
	return true;
}

bool walk_block_has(const struct walk_blocks *blocks, const struct walk_block *block,
		    uint64_t vaddr)
{
	uint64_t distance = vaddr - block->start;
	bool last = block->end == ENDS_CUT; /* nothing is at the end */

	if (distance > block->length || (last && distance == block->length && block->length))
		return false;
	if (!distance || distance == block->length)
		return true;
	if (blocks->image->machine != MACHINE_X86_64)
		return !(distance & 3);
	struct bytes code = code_at(blocks->image, block->start);
	for (uint64_t at = 0; at < distance;) {
		struct insn insn;
		end_of(blocks, bytes_from(code, at), block->start + at, &insn);
		if (!insn.size)
			return false;
		at += insn.size;
		if (at == distance)
			return true;
	}
	return false;
}

DEFINE_VEC(code_file_vec, struct code_file *);
DEFINE_VEC(image_match_vec, struct image_match);

#define X(name, key, text, remedy) {key, text, remedy},
static const struct {
	const char *key, *words, *remedy;
} losses[] = {WALK_LOSSES(X)};
#undef X

const char *walk_loss_words(enum walk_loss loss)
{
	return losses[loss].words;
}

const char *walk_loss_remedy(enum walk_loss loss)
{
	return losses[loss].remedy;
}

const char *walk_loss_key(enum walk_loss loss)
{
	return losses[loss].key;
}

/* What was found for a number of the mapped files. */
struct answer {
	bool asked;
	enum walk_loss loss;
	uint32_t opened; /* the number of the file that was opened */
};
DEFINE_VEC(answer_vec, struct answer);

struct code_images {
	pthread_mutex_t lock;
	struct mapped_files files;
	struct image_match_vec given;
	const struct debug_dirs *dirs;
	struct code_file_vec opened;
	struct answer_vec answers; /* by the number of the mapped file */
};

struct code_images *code_images_make(const struct given_code *given, size_t count,
				     const struct debug_dirs *dirs)
{
	struct code_images *images = calloc(1, sizeof(*images));

	if (!images || !image_match_vec_reserve(&images->given, count ? count : 1)) {
		free(images);
		return NULL;
	}
	pthread_mutex_init(&images->lock, NULL);
	images->dirs = dirs;
	for (size_t i = 0; i < count; i++)
		image_match_init(&images->given.at[images->given.len++], given[i].image,
				 &given[i].match);
	return images;
}

void code_images_free(struct code_images *images)
{
	if (!images)
		return;
	for (size_t i = 0; i < images->given.len; i++)
		image_match_fini(&images->given.at[i]);
	for (size_t i = 0; i < images->opened.len; i++) {
		code_file_close(images->opened.at[i]);
		free(images->opened.at[i]);
	}
	image_match_vec_free(&images->given);
	code_file_vec_free(&images->opened);
	answer_vec_free(&images->answers);
	mapped_files_free(&images->files);
	pthread_mutex_destroy(&images->lock);
	free(images);
}

struct mapped_files *code_images_files(struct code_images *images)
{
	return &images->files;
}

void code_images_lock(struct code_images *images)
{
	pthread_mutex_lock(&images->lock);
}

void code_images_unlock(struct code_images *images)
{
	pthread_mutex_unlock(&images->lock);
}

/* ---- with the lock held ---- */

/* Its number among the given ones and those that were opened is counted from 0. */
static bool find_given(struct code_images *images, const struct mapping *mapping,
		       enum machine machine, struct mapped_code *out)
{
	const struct map_event event = {
		.start.v = mapping->start,
		.size = mapping->end - mapping->start,
		.offset.v = mapping->offset,
		.executable = true,
		.path = mapped_files_path(&images->files, mapping->file),
		.build_id = mapped_files_id(&images->files, mapping->file),
	};

	for (size_t i = 0; i < images->given.len; i++) {
		struct image_match *match = &images->given.at[i];
		enum image_fit fit;
		struct bc_error ignored;
		uint64_t base;
		if (match->image->machine != machine ||
		    !image_match(match, &event, NULL, &fit, &base, &ignored) || fit != FIT_IMAGE)
			continue;
		*out = (struct mapped_code){LOSS_NONE, match->image, (uint32_t)i, base};
		return true;
	}
	return false;
}

static enum walk_loss loss_of_path(struct text path)
{
	if (text_is(path, "[vdso]") || text_is(path, "[vsyscall]"))
		return LOSS_VDSO;
	return path_kind_of(path) == PATH_FILE ? LOSS_NONE : LOSS_NOT_A_FILE;
}

static enum walk_loss loss_of(enum code_file_found found)
{
	switch (found) {
	case CODE_FILE_OPEN: return LOSS_NONE;
	case CODE_FILE_OTHER_BUILD: return LOSS_OTHER_BUILD;
	case CODE_FILE_NO_CODE: return LOSS_NO_CODE;
	case CODE_FILE_NOT_THERE:
	case CODE_FILE_NO_MEMORY: break;
	}
	return LOSS_NO_FILE;
}

/* Several numbers can lead to one file. */
static bool keep(struct code_images *images, struct code_file *file, uint32_t *number)
{
	for (size_t i = 0; i < images->opened.len; i++)
		if (!strcmp(images->opened.at[i]->path, file->path)) {
			code_file_close(file);
			*number = (uint32_t)i;
			return true;
		}
	struct code_file *copy = malloc(sizeof(*copy));
	if (!copy || !code_file_vec_push(&images->opened, copy)) {
		free(copy);
		code_file_close(file);
		return false;
	}
	*copy = *file;
	*number = (uint32_t)(images->opened.len - 1);
	return true;
}

static struct answer open_file(struct code_images *images, uint32_t file, enum machine machine)
{
	struct text path = mapped_files_path(&images->files, file),
		    plain = path_without_deleted(path);
	struct answer answer = {.asked = true, .loss = loss_of_path(path)};
	struct build_id id = mapped_files_id(&images->files, file);
	struct code_file found;

	if (answer.loss != LOSS_NONE)
		return answer;
	answer.loss = LOSS_NO_FILE;
	char *name = images->opened.len < CODE_IMAGES_MOST ? strndup(plain.at, plain.len) : NULL;
	if (name) {
		answer.loss = loss_of(code_file_open(name, &id, machine, images->dirs, &found));
		if (answer.loss == LOSS_NONE && !keep(images, &found, &answer.opened))
			answer.loss = LOSS_NO_FILE;
	}
	free(name);
	return answer;
}

static struct mapped_code find_opened(struct code_images *images, const struct mapping *mapping,
				      enum machine machine)
{
	const struct load_mapping m = {
		{mapping->start}, mapping->end - mapping->start, {mapping->offset}, true};
	uint64_t bases[LOAD_BASES];

	while (images->answers.len <= mapping->file)
		if (!answer_vec_push(&images->answers, (struct answer){0}))
			return (struct mapped_code){.loss = LOSS_NO_FILE};
	struct answer *answer = &images->answers.at[mapping->file];
	if (!answer->asked)
		*answer = open_file(images, mapping->file, machine);
	if (answer->loss != LOSS_NONE)
		return (struct mapped_code){.loss = answer->loss};
	const struct code_file *file = images->opened.at[answer->opened];
	if (!load_bases(&file->image, &m, bases))
		return (struct mapped_code){.loss = LOSS_NO_CODE};
	return (struct mapped_code){LOSS_NONE, &file->image,
				    (uint32_t)images->given.len + answer->opened, bases[0]};
}

struct mapped_code code_images_find(struct code_images *images, const struct mapping *mapping,
				    enum machine machine)
{
	struct mapped_code code;

	code_images_lock(images);
	if (!find_given(images, mapping, machine, &code))
		code = find_opened(images, mapping, machine);
	code_images_unlock(images);
	return code;
}

uint32_t code_images_given(const struct code_images *images, const struct image *image)
{
	for (size_t i = 0; i < images->given.len; i++)
		if (images->given.at[i].image == image)
			return (uint32_t)i;
	return UINT32_MAX;
}
