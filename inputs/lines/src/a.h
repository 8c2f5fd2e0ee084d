/* Public domain (CC0): written for this project. */
#pragma once
static inline int mix(int a, int b) { int r = a * 31; if (b & 1) r ^= b; else r += b >> 2; return r; }
