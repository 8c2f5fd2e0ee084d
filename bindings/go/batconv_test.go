// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

package batconv

import (
	"errors"
	"math/bits"
	"os"
	"sync"
	"testing"
)

// Facts of nm and eu-addr2line, as in tests/release/api/test_api.c.
var (
	bolted = os.Getenv("INPUTS") + "/lines/g4.b22"
	input  = os.Getenv("INPUTS") + "/lines/g4"
)

func open(t testing.TB, options uint) *Translator {
	translator, err := Open(bolted, input, options)
	if err != nil {
		t.Fatal(err)
	}
	return translator
}

func TestPlaces(t *testing.T) {
	translator := open(t, Lines|Inlines)
	defer translator.Close()
	locations, err := translator.Translate([]uint64{0x6010, 0x6343, 0x999999})
	if err != nil {
		t.Fatal(err)
	}
	if p := locations[0]; p.Function != "main" || p.Offset != 0x10 || !p.HasVaddr || p.Vaddr != 0x1110 || p.File != "/src/main.cc" ||
		p.Line != 25 || len(p.Inlined) != 1 || p.Inlined[0] != (Call{"atoi", "/usr/include/stdlib.h", 364}) {
		t.Errorf("%+v", p)
	}
	if p := locations[1]; p.Function != "rare_c" || p.Vaddr != 0x1443 || p.Line != 8 || p.Inlined != nil {
		t.Errorf("%+v", p)
	}
	if p := locations[2]; p.Function != "" || p.HasVaddr {
		t.Errorf("%+v", p)
	}
}

// What a return address is the end of counts, not what it is the beginning of.
func TestStack(t *testing.T) {
	translator := open(t, 0)
	defer translator.Close()
	locations, err := translator.TranslateStack([]uint64{0x6343, 0x6166})
	if err != nil || locations[1].Function != "_Z4rarei" || locations[1].File != "" {
		t.Error(locations, err)
	}
	if locations, err = translator.Translate(nil); locations != nil || err != nil {
		t.Error(locations, err)
	}
}

func TestErrors(t *testing.T) {
	var refused *Error
	if _, err := Open("/nowhere", "", 0); !errors.As(err, &refused) || refused.Code != IO {
		t.Error(err)
	}
	if _, err := Open(bolted, "", Lines); !errors.As(err, &refused) || refused.Code != NotFound {
		t.Error(err)
	}
	if _, err := Open(input, bolted, 0); !errors.As(err, &refused) || refused.Code != Mismatch {
		t.Error(err)
	}
	for _, paths := range [][2]string{{bolted + "\x00.old", ""}, {bolted, input + "\x00"}} {
		if _, err := Open(paths[0], paths[1], 0); !errors.As(err, &refused) || refused.Code != IO {
			t.Error(err)
		}
	}
	translator := open(t, 0)
	translator.Close()
	translator.Close()
	if _, err := translator.Translate([]uint64{1}); err == nil {
		t.Error("a closed translator translated")
	}
}

func TestGoroutines(t *testing.T) {
	translator := open(t, Lines)
	defer translator.Close()
	var all sync.WaitGroup
	for first := uint64(0); first < 4; first++ {
		all.Add(1)
		go func(at uint64) {
			defer all.Done()
			for i := 0; i < 200; i++ {
				if locations, err := translator.Translate([]uint64{at, 0x6343}); err != nil || locations[1].Line != 8 {
					t.Error(locations, err)
					return
				}
			}
		}(0x6000 + 16*first)
	}
	all.Wait()
}

func TestOptionsThatAreNotKnown(t *testing.T) {
	var refused *Error
	for _, options := range []uint{1 << 20, 1 << (bits.UintSize - 1)} {
		if _, err := Open(bolted, input, options); !errors.As(err, &refused) || refused.Code != Argument {
			t.Error(err)
		}
	}
}

func BenchmarkTranslate(b *testing.B) {
	translator := open(b, 0)
	defer translator.Close()
	addresses := make([]uint64, 10000)
	for i := range addresses {
		addresses[i] = 0x6000 + uint64(i*7919%0x3bc)
	}
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		if _, err := translator.Translate(addresses); err != nil {
			b.Fatal(err)
		}
	}
}
