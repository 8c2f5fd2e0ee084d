/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/base/response.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/base/attr.h"

void response_free(struct response *response)
{
	for (size_t i = 0; i < response->texts.len; i++)
		free(response->texts.at[i]);
	argument_vec_free(&response->texts);
	argument_vec_free(&response->files);
	argument_vec_free(&response->words);
}

/* ---- words ---- */

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

bool response_words(char *text, size_t size, enum word_rule rule, struct argument_vec *out)
{
	char *begin = text, *put = text, quote = 0;
	bool quoted = false; /* the word has a quote */

	for (size_t i = 0; i <= size; i++) {
		bool at_end = i == size;
		if (!at_end && text[i] == '\\' && i + 1 < size) {
			*put++ = text[++i];
		} else if (!at_end && quote && text[i] == quote) {
			quote = 0;
		} else if (!at_end && !quote && (text[i] == '"' || text[i] == '\'')) {
			quote = text[i];
			quoted = rule == WORDS_OF_SHELL;
		} else if (!at_end && (quote || !is_blank(text[i]))) {
			*put++ = text[i];
		} else if (put > begin || quoted) { /* which leaves room for the zero byte */
			*put++ = '\0';
			if (!argument_vec_push(out, begin))
				return false;
			begin = put;
			quoted = false;
		}
	}
	return true;
}

/* ---- text ---- */

static size_t put_utf8(char *at, uint32_t c)
{
	static const uint8_t first[] = {0, 0, 0xc0, 0xe0, 0xf0};
	size_t size = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;

	for (size_t i = size; i-- > 1; c >>= 6)
		at[i] = (char)(0x80 | (c & 0x3f));
	*at = (char)(first[size] | c);
	return size;
}

/* The unit of UTF-16 at an index. */
static uint32_t unit_at(const uint8_t *text, size_t index, bool big)
{
	return (uint32_t)(text[2 * index + !big] << 8 | text[2 * index + big]);
}

/* For so many units; returns the bytes of UTF-8, or SIZE_MAX: half of a pair is alone. */
static size_t convert(const uint8_t *text, size_t units, bool big, char *out)
{
	size_t size = 0;

	for (size_t i = 1; i < units; i++) { /* the first one is the mark */
		uint32_t c = unit_at(text, i, big);
		if (c >= 0xd800 && c < 0xe000) {
			uint32_t low = i + 1 < units ? unit_at(text, i + 1, big) : 0;
			if (c >= 0xdc00 || low < 0xdc00 || low >= 0xe000)
				return SIZE_MAX;
			c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
			i++;
		}
		size += put_utf8(out + size, c);
	}
	return size;
}

bool response_utf8(char **text, size_t *size, struct bc_error *err)
{
	if (*size >= 3 && !memcmp(*text, "\xef\xbb\xbf", 3)) {
		*size -= 3;
		memmove(*text, *text + 3, *size);
		return true;
	}
	bool big = *size >= 2 && !memcmp(*text, "\xfe\xff", 2);
	if (!big && (*size < 2 || memcmp(*text, "\xff\xfe", 2) != 0))
		return true;
	char *utf8 = malloc(*size / 2 * 3 + 1);
	if (!utf8)
		return bc_fail_nomem(err);
	size_t converted = *size % 2 ? SIZE_MAX : convert((uint8_t *)*text, *size / 2, big, utf8);
	if (converted == SIZE_MAX) {
		free(utf8);
		return bc_fail(err, BC_FORMAT, "begins as UTF-16 does, and is not UTF-16");
	}
	free(*text);
	*text = utf8;
	*size = converted;
	return true;
}

/* ---- files ---- */

/* A response file whose words are read. */
struct open_file {
	dev_t device;
	ino_t number;
	struct argument_vec words;
	size_t next;
};
DEFINE_VEC(open_file_vec, struct open_file);

struct expansion {
	struct response *out;
	struct open_file_vec files; /* each contains the one after it */
	size_t left;                /* of RESPONSE_MOST */
};

static void expansion_free(struct expansion *e)
{
	for (size_t i = 0; i < e->files.len; i++)
		argument_vec_free(&e->files.at[i].words);
	open_file_vec_free(&e->files);
}

/* At most `most` bytes; one more means that there are more. */
static char *read_some(int fd, size_t most, size_t *size, struct bc_error *err)
{
	size_t room = RESPONSE_LEAST;
	char *text = malloc(room);

	*size = 0;
	while (text && *size <= most) {
		if (*size + 1 == room) {
			char *more = realloc(text, room *= 2);
			if (!more)
				break;
			text = more;
		}
		ssize_t got = read(fd, text + *size, room - 1 - *size);
		if (got == 0)
			return text;
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0) {
			bc_fail_errno(err, "cannot read");
			free(text);
			return NULL;
		}
		*size += (size_t)got;
	}
	if (text && *size > most)
		bc_fail(err, BC_FORMAT, "more than %zu MiB of response files", RESPONSE_MOST >> 20);
	else
		bc_fail_nomem(err);
	free(text);
	return NULL;
}

/* Reads the words of a file that is open. */
static bool read_words(struct expansion *e, int fd, struct open_file *file, struct bc_error *err)
{
	size_t size;
	char *text = read_some(fd, e->left, &size, err);

	if (!text)
		return false;
	size_t used = size > RESPONSE_LEAST ? size : RESPONSE_LEAST;
	e->left -= used < e->left ? used : e->left;
	bool ok = response_utf8(&text, &size, err);
	if (!argument_vec_push(&e->out->texts, text)) {
		free(text);
		return bc_fail_nomem(err);
	}
	return ok &&
	       (response_words(text, size, WORDS_OF_LLVM, &file->words) || bc_fail_nomem(err));
}

static bool contains(const struct open_file_vec *files, const struct stat *st)
{
	for (size_t i = 0; i < files->len; i++)
		if (files->at[i].device == st->st_dev && files->at[i].number == st->st_ino)
			return true;
	return false;
}

static bool enter_open(struct expansion *e, int fd, struct bc_error *err)
{
	struct stat st;

	if (fstat(fd, &st))
		return bc_fail_errno(err, "cannot read");
	if (contains(&e->files, &st))
		return bc_fail(err, BC_FORMAT, "a response file that contains itself");
	if (!e->left)
		return bc_fail(err, BC_FORMAT, "too many response files");
	struct open_file file = {.device = st.st_dev, .number = st.st_ino};
	if (!read_words(e, fd, &file, err) ||
	    (!open_file_vec_push(&e->files, file) && !bc_fail_nomem(err))) {
		argument_vec_free(&file.words);
		return false;
	}
	return true;
}

/* *known: there is such a file, whose words come next. */
static bool enter(struct expansion *e, char *word, bool *known, struct bc_error *err)
{
	int fd = open(word[1] ? word + 1 : ".", O_RDONLY | O_CLOEXEC);

	*known = fd >= 0 || errno != ENOENT;
	if (fd < 0)
		return !*known || bc_fail_errno(err, "%s: cannot open", word);
	bool ok = enter_open(e, fd, err);
	close(fd);
	return ok ? argument_vec_push(&e->out->files, word + 1) || bc_fail_nomem(err) :
		    bc_fail_prefix(err, word);
}

/* Takes a word, or what it represents. */
static bool take(struct expansion *e, char *word, struct word_owner *owner, struct bc_error *err)
{
	bool is_file = false;

	if (*word == '@' && owner->owns && !enter(e, word, &is_file, err))
		return false;
	if (is_file)
		return true;
	if (owner->owns && !owner->owns(owner->ctx, word))
		owner->owns = NULL;
	return argument_vec_push(&e->out->words, word) || bc_fail_nomem(err);
}

/* Takes the words of the files that are open. */
static bool take_files(struct expansion *e, struct word_owner *owner, struct bc_error *err)
{
	while (e->files.len) {
		struct open_file *file = &e->files.at[e->files.len - 1];
		if (file->next < file->words.len) {
			if (!take(e, file->words.at[file->next++], owner, err))
				return false;
		} else {
			argument_vec_free(&file->words);
			e->files.len--;
		}
	}
	return true;
}

bool response_expand(int argc, char **argv, struct word_owner owner, struct response *out,
		     struct bc_error *err)
{
	BC_AUTO(expansion_free) struct expansion e = {.out = out, .left = RESPONSE_MOST};
	bool ok = true;

	*out = (struct response){0};
	for (int i = 0; ok && i < argc; i++)
		ok = i ? take(&e, argv[i], &owner, err) && take_files(&e, &owner, err) :
			 argument_vec_push(&out->words, argv[0]) || bc_fail_nomem(err);
	if (!ok || !argument_vec_push(&out->words, NULL))
		return ok ? bc_fail_nomem(err) : false;
	out->words.len--;
	return true;
}
