/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/samples/code_images.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/vec.h"
#include "src/elf/load.h"

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

struct code_images *code_images_make(const struct given_code *given, size_t count, const struct debug_dirs *dirs)
{
	struct code_images *images = calloc(1, sizeof(*images));

	if (!images || !image_match_vec_reserve(&images->given, count ? count : 1)) {
		free(images);
		return NULL;
	}
	pthread_mutex_init(&images->lock, NULL);
	images->dirs = dirs;
	for (size_t i = 0; i < count; i++)
		image_match_init(&images->given.at[images->given.len++], given[i].image, &given[i].match);
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
static bool find_given(struct code_images *images, const struct mapping *mapping, enum machine machine, struct mapped_code *out)
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
		if (match->image->machine != machine || !image_match(match, &event, NULL, &fit, &base, &ignored) || fit != FIT_IMAGE)
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
	struct text path = mapped_files_path(&images->files, file), plain = path_without_deleted(path);
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

static struct mapped_code find_opened(struct code_images *images, const struct mapping *mapping, enum machine machine)
{
	const struct load_mapping m = {{mapping->start}, mapping->end - mapping->start, {mapping->offset}, true};
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
	return (struct mapped_code){LOSS_NONE, &file->image, (uint32_t)images->given.len + answer->opened, bases[0]};
}

struct mapped_code code_images_find(struct code_images *images, const struct mapping *mapping, enum machine machine)
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
