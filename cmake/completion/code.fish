# The command of the line, or what runs if it names none.
function __batconv_command
    set -l words (commandline -opc)
    if set -q words[2]; and contains -- $words[2] $__batconv_commands
        echo $words[2]
    else
        echo $__batconv_main
    end
end

function __batconv_is
    test (__batconv_command) = $argv[1]
end

function __batconv_first
    test (count (commandline -opc)) -eq 1
end

