/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/merge/yaml_function.h"

void yaml_function_clear(struct yaml_function *function)
{
	function->name.size = 0;
	function->fid = function->hash = function->exec = function->external = function->nblocks = 0;
	function->given = 0;
	function->blocks.len = function->calls.len = function->successors.len = 0;
	function->more.len = function->more_text.size = 0;
}

void yaml_function_free(struct yaml_function *function)
{
	key_free(&function->name);
	yaml_block_vec_free(&function->blocks);
	yaml_call_vec_free(&function->calls);
	yaml_successor_vec_free(&function->successors);
	yaml_more_vec_free(&function->more);
	key_free(&function->more_text);
	*function = (struct yaml_function){0};
}

static bool push(struct item_list *list, const struct key *key, const uint64_t sum[2], const uint64_t same[2])
{
	return !key->failed && item_list_push(list, &(struct profile_item){key->at, key->size, {sum[0], sum[1]},
									 {same[0], same[1]}});
}

static const uint64_t none[2];

static void begin_function(struct key *key, size_t name)
{
	key->size = name;
	key_byte(key, YAML_FUNCTION);
}

static void begin_block(struct key *key, size_t name, const struct yaml_block *block, uint8_t part)
{
	key->size = name;
	key_byte(key, YAML_BLOCK);
	key_number(key, block->bid);
	key_byte(key, part);
}

static void begin_call(const struct yaml_function *f, struct key *key, size_t name, const struct yaml_call *call)
{
	begin_block(key, name, &f->blocks.at[call->block], BLOCK_CALL);
	key_number(key, call->off);
	key_byte(key, CALLEE_NUMBERED);
	key_number(key, call->fid);
	key_number(key, call->disc);
}

static void begin_successor(const struct yaml_function *f, struct key *key, size_t name, const struct yaml_successor *s)
{
	begin_block(key, name, &f->blocks.at[s->block], BLOCK_SUCCESSOR);
	key_number(key, s->bid);
}

static bool push_blocks(const struct yaml_function *f, struct key *key, size_t name, struct item_list *list)
{
	for (size_t i = 0; i < f->blocks.len; i++) {
		const struct yaml_block *block = &f->blocks.at[i];
		begin_block(key, name, block, BLOCK_ITSELF);
		if (!push(list, key, (uint64_t[]){block->exec, block->events}, (uint64_t[]){block->insns, block->hash}))
			return false;
	}
	return true;
}

static bool push_calls(const struct yaml_function *f, struct key *key, size_t name, struct item_list *list)
{
	for (size_t i = 0; i < f->calls.len; i++) {
		const struct yaml_call *call = &f->calls.at[i];
		begin_call(f, key, name, call);
		if (!push(list, key, (uint64_t[]){call->cnt, call->mis}, none))
			return false;
	}
	return true;
}

static bool push_successors(const struct yaml_function *f, struct key *key, size_t name, struct item_list *list)
{
	for (size_t i = 0; i < f->successors.len; i++) {
		const struct yaml_successor *s = &f->successors.at[i];
		begin_successor(f, key, name, s);
		if (!push(list, key, (uint64_t[]){s->cnt, s->mis}, none))
			return false;
	}
	return true;
}

static bool push_more(const struct yaml_function *f, struct key *key, size_t name, struct item_list *list)
{
	for (size_t i = 0; i < f->more.len; i++) {
		const struct yaml_more *more = &f->more.at[i];
		switch (more->of) {
		case MORE_FUNCTION: begin_function(key, name); break;
		case MORE_BLOCK: begin_block(key, name, &f->blocks.at[more->index], BLOCK_ITSELF); break;
		case MORE_CALL: begin_call(f, key, name, &f->calls.at[more->index]); break;
		case MORE_SUCCESSOR: begin_successor(f, key, name, &f->successors.at[more->index]); break;
		}
		key_bytes(key, f->more_text.at + more->at, more->size);
		if (!push(list, key, none, none))
			return false;
	}
	return true;
}

bool yaml_function_items(const struct yaml_function *f, struct key *key, struct item_list *list)
{
	key->size = 0;
	key_name(key, (struct text){(const char *)f->name.at, f->name.size});
	size_t name = key->size;
	begin_function(key, name);
	return push(list, key, (uint64_t[]){f->exec, f->external}, (uint64_t[]){f->hash, f->nblocks}) &&
	       push_blocks(f, key, name, list) && push_calls(f, key, name, list) &&
	       push_successors(f, key, name, list) && push_more(f, key, name, list);
}
