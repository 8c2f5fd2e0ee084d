_batconv() {
  case ${service%%-<->*} in
    perf2bolt|merge-fdata|llvm-bolt-heatmap) _batconv_of_${service%%-<->*}; return ;;
  esac
  if (( CURRENT == 2 )) && [[ $PREFIX != -* ]]; then
    _batconv_commands
    _files
  elif (( CURRENT > 2 && $+functions[_batconv_of_$words[2]] )); then
    local command=$words[2]
    shift words
    (( CURRENT-- ))
    _batconv_of_$command
  else
    _batconv_of_$_batconv_main
  fi
}

_batconv "$@"
