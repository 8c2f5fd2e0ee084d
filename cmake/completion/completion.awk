# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Completion for a shell, from the rows of 'batconv help --table': awk -v shell=bash -v code=code.bash -f completion.awk TABLE
# shell: bash, zsh or fish; code: what stands behind the tables in that language.
BEGIN { FS = "\t" }
$1 == "main" { main = $2 }
$1 == "command" || $1 == "program" {
	names[++commands] = $2
	is_program[$2] = $1 == "program"
	operands[$2] = $3
	summary[$2] = $1 == "program" ? "take the command line of " $2 : $4
}
$1 == "option" {
	of[++options] = $2
	letter[options] = $3
	name[options] = $4
	argument[options] = $5
	optional[options] = $6
	words[options] = $8
	help[options] = $9
	# What its argument is completed with.
	kind[options] = !$5 ? "" : $8 ? ($5 ~ /,\.\.\.$/ ? "list" : "words") : $7 == "folder" || $5 == "DIR" ? "folder" : $7 == "none" ? "other" : "file"
}
END {
	title = "# Completion of batconv, perf2bolt, merge-fdata and llvm-bolt-heatmap; 'batconv help --completion=" shell "' wrote this."
	for (c = 1; c <= commands; c++)
		all = all " " names[c]
	if (shell == "bash")
		bash()
	else if (shell == "zsh")
		zsh()
	else
		fish()
	if (shell != "fish")
		copy_code()
}

function copy_code(line) {
	while ((getline line < code) > 0)
		print line
}

# text with a '\' before each character of `special`, and "'" as it stands within quotes.
function escaped(text, special, quote, out, i, c) {
	for (i = 1; i <= length(text); i++) {
		c = substr(text, i, 1)
		out = out (c == "'" && quote != "" ? quote : index(special, c) ? "\\" c : c)
	}
	return out
}

# ---- bash: two tables as functions ----

function bash() {
	print "# shellcheck shell=bash\n" title "\n"
	print "_batconv_commands='" substr(all, 2) "'\n_batconv_main=" main "\n"
	print "_batconv_options()\n{\n\tcase $1 in"
	for (c = 1; c <= commands; c++) {
		printf "\t%s) echo '", names[c]
		for (o = 1; o <= options; o++)
			if (of[o] == names[c])
				printf "%s%s", letter[o] ? "-" letter[o] " " : "", name[o] ? "--" name[o] (argument[o] && !optional[o] ? "=" : "") " " : ""
		print "' ;;"
	}
	print "\tesac\n}\n\n# What the value of an option is, nothing if it takes none.\n_batconv_value()\n{\n\tcase \"$1 $2\" in"
	for (o = 1; o <= options; o++)
		if (argument[o])
			printf "\t%s%s%s) echo '%s%s%s' ;;\n", letter[o] ? "'" of[o] " -" letter[o] "'" : "", letter[o] && name[o] ? " | " : "",
				name[o] ? "'" of[o] " --" name[o] "'" : "", optional[o] ? "joined " : "", kind[o], words[o] ? " " words[o] : ""
	print "\tesac\n}\n\n_batconv_operands()\n{\n\tcase $1 in"
	for (c = 1; c <= commands; c++)
		if (operands[names[c]] != "none")
			print "\t" names[c] ") echo " (operands[names[c]] == "file" ? "file" : "\"words $_batconv_commands\"") " ;;"
	print "\tesac\n}\n"
}

# ---- zsh: a function for each command, which calls _arguments ----

function zsh_form(o, form, sign, action) {
	action = kind[o] == "file" ? "_files" : kind[o] == "folder" ? "_files -/" : kind[o] == "words" ? "(" words[o] ")" : \
		kind[o] == "list" ? "_sequence compadd - " words[o] : " "
	printf " \\\n    '*%s%s[%s]%s'", form, argument[o] ? sign : "", escaped(help[o], "\\:[]", "'\\''"),
		argument[o] ? (optional[o] ? "::" : ":") argument[o] ":" action : ""
}

function zsh() {
	print "#compdef batconv perf2bolt merge-fdata llvm-bolt-heatmap\n" title "\n\n_batconv_commands() {\n  local -a commands=("
	for (c = 1; c <= commands; c++)
		print "    '" names[c] ":" escaped(summary[names[c]], "\\:[]", "'\\''") "'"
	print "  )\n  _describe -t commands command commands\n}\n\ntypeset -g _batconv_main=" main "\n"
	for (c = 1; c <= commands; c++) {
		# Short options of batconv can be joined in one word; those of LLVM's programs cannot, and take their value behind a '='.
		printf "_batconv_of_%s() {\n  _arguments %s-S :", names[c], is_program[names[c]] ? "" : "-s "
		for (o = 1; o <= options; o++) {
			if (of[o] == names[c] && letter[o])
				zsh_form(o, "-" letter[o], is_program[names[c]] ? "=" : "+")
			if (of[o] == names[c] && name[o])
				zsh_form(o, "--" name[o], optional[o] ? "=-" : "=")
		}
		printf "%s\n}\n\n", operands[names[c]] == "file" ? " \\\n    '*:file:_files'" : \
			operands[names[c]] == "command" ? " \\\n    '1:command:_batconv_commands'" : ""
	}
}

# ---- fish: a line for each option, with the condition that its command is the one on the line ----

function fish_quoted(text) {
	return "'" escaped(text, "\\'", "") "'"
}

function fish_options(command, program, condition) {
	for (o = 1; o <= options; o++) {
		if (of[o] != command)
			continue
		argued = kind[o] == "" ? "" : kind[o] == "other" ? " -x" : kind[o] == "file" ? " -r -F" : \
			kind[o] == "folder" ? " -x -a '(__fish_complete_directories)'" : \
			kind[o] == "words" ? " " (optional[o] ? "-f" : "-x") " -a '" words[o] "'" : " -x -a '(__fish_append , " words[o] ")'"
		print "complete -c " program condition (letter[o] ? " -s " letter[o] : "") (name[o] ? " -l " name[o] : "") argued " -d " fish_quoted(help[o])
	}
}

function fish() {
	print title "\n\nset -g __batconv_commands" all "\nset -g __batconv_main " main "\n"
	copy_code()
	for (c = 1; c <= commands; c++) {
		print "complete -c batconv -n __batconv_first -a " names[c] " -d " fish_quoted(summary[names[c]])
		fish_options(names[c], "batconv", " -n '__batconv_is " names[c] "'")
		if (is_program[names[c]])
			fish_options(names[c], names[c], "")
		else if (operands[names[c]] != "file")
			print "complete -c batconv -n '__batconv_is " names[c] "' -f"
		if (operands[names[c]] == "command")
			print "complete -c batconv -n '__batconv_is " names[c] "' -f -a '$__batconv_commands'"
	}
}
