/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What was read was kept or dropped, with a reason. */
#ifndef TESTS_SUPPORT_LEDGER_BALANCES_H
#define TESTS_SUPPORT_LEDGER_BALANCES_H

#include "src/count/ledger.h"

static inline bool ledger_balances(const struct ledger *ledger)
{
	return ledger->read == ledger->kept + ledger_dropped(ledger);
}

#endif
