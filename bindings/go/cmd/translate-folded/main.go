// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Folded stacks of a BOLTed program -> the same with functions, addresses and lines of its input.
//
//	translate-folded BOLTED INPUT < FOLDED
//
// A stack is a line FRAME;FRAME;...;FRAME COUNT, its innermost frame last. A frame 0x... is a vaddr of BOLTED, every
// other one stays as it is.
package main

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"strings"

	"batconv"
)

func text(name, file string, line uint32) string {
	if file == "" {
		return name
	}
	return fmt.Sprintf("%s %s:%d", name, file, line)
}

// frames are those of one address: the function, then what was inlined into it, the innermost call last.
func frames(location *batconv.Location) string {
	where := fmt.Sprintf("+0x%x", location.Offset)
	if location.HasVaddr {
		where = fmt.Sprintf(" 0x%x", location.Vaddr)
	}
	out := []string{text(location.Function+where, location.File, location.Line)}
	for i := len(location.Inlined) - 1; i >= 0; i-- {
		call := location.Inlined[i]
		if call.Function == "" {
			call.Function = "[inlined]"
		}
		out = append(out, text(call.Function, call.File, call.Line))
	}
	return strings.Join(out, ";")
}

func translated(translator *batconv.Translator, stack string) (string, error) {
	names := strings.Split(stack, ";")
	addresses := make([]uint64, len(names)) // innermost first; 0 for what is no address
	for i, name := range names {
		if strings.HasPrefix(name, "0x") {
			addresses[len(names)-1-i], _ = strconv.ParseUint(name[2:], 16, 64)
		}
	}
	locations, err := translator.TranslateStack(addresses)
	if err != nil {
		return "", err
	}
	for i := range names {
		if location := &locations[len(names)-1-i]; strings.HasPrefix(names[i], "0x") && location.Function != "" {
			names[i] = frames(location)
		}
	}
	return strings.Join(names, ";"), nil
}

func run() error {
	if len(os.Args) != 3 {
		return fmt.Errorf("usage: %s BOLTED INPUT < FOLDED", os.Args[0])
	}
	translator, err := batconv.Open(os.Args[1], os.Args[2], batconv.Lines|batconv.Inlines)
	if err != nil {
		return err
	}
	defer translator.Close()
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		space := strings.LastIndexByte(lines.Text(), ' ')
		if space < 0 {
			return fmt.Errorf("a line without a count: %s", lines.Text())
		}
		stack, err := translated(translator, lines.Text()[:space])
		if err != nil {
			return err
		}
		fmt.Println(stack + lines.Text()[space:])
	}
	return lines.Err()
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
