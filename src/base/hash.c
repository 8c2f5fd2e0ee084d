/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/base/hash.h"

#include <stdatomic.h>
#include <sys/random.h>
#include <time.h>

/* What the seeds of this process are made of.  Never 0. */
static uint64_t make_secret(void)
{
	struct timespec now = {0};
	uint64_t secret;

	if (getrandom(&secret, sizeof(secret), GRND_NONBLOCK) != (ssize_t)sizeof(secret)) {
		clock_gettime(CLOCK_REALTIME, &now); /* can be guessed, but is better than none */
		secret = hash_mix((uint64_t)now.tv_nsec, (uint64_t)(uintptr_t)&now);
	}
	return secret | 1;
}

uint64_t hash_seed(void)
{
	static atomic_uint_least64_t secret, seeds;
	uint64_t chosen = atomic_load(&secret), none = 0;

	/* Of threads that come here at once, each can make a secret: the first one stays. */
	if (!chosen) {
		chosen = make_secret();
		if (!atomic_compare_exchange_strong(&secret, &none, chosen))
			chosen = none;
	}
	return hash_end(hash_mix(chosen, atomic_fetch_add(&seeds, 1))) | 1;
}
