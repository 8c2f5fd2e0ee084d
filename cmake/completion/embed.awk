# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Texts as an array of C: awk -f embed.awk FILE...
BEGIN { print "extern const char *const completion_scripts[];\nconst char *const completion_scripts[] = {" }
FNR == 1 && NR > 1 { print "\t," }
{
	line = ""
	for (i = 1; i <= length($0); i++) {
		c = substr($0, i, 1)
		line = line (c == "\\" || c == "\"" ? "\\" : "") c
	}
	print "\t\"" line "\\n\""
}
END { print "};" }
