# Completion of the sinew command for bash. Names come from the program itself, so that they are always those of the
# installed version.
_sinew() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]} sinew=${COMP_WORDS[0]}
    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ]; then
        mapfile -t COMPREPLY < <(compgen -W "$("$sinew" list commands --plain 2>/dev/null) --help --version --plugin" -- "$word")
        return
    fi
    case $before in
    --scheme) mapfile -t COMPREPLY < <(compgen -W "$("$sinew" list schemes --plain 2>/dev/null)" -- "$word") && return ;;
    --solver) mapfile -t COMPREPLY < <(compgen -W "$("$sinew" list solvers --plain 2>/dev/null)" -- "$word") && return ;;
    --method) mapfile -t COMPREPLY < <(compgen -W "auto dense arpack" -- "$word") && return ;;
    --plugin) mapfile -t COMPREPLY < <(compgen -f -X '!*.so' -- "$word"; compgen -d -- "$word") && return ;;
    --at) mapfile -t COMPREPLY < <(compgen -W "static start" -- "$word") && return ;;
    --set | --print | --end | --step | --output | --tolerance | --number | -n) return ;;
    esac
    case $command:$word in
    *:-*) mapfile -t COMPREPLY < <(compgen -W "$("$sinew" "$command" --help 2>/dev/null | grep -oE -- '--[a-z]+') --help" -- "$word") ;;
    help:*)
        mapfile -t COMPREPLY < <(compgen -W "$("$sinew" list --plain 2>/dev/null) $("$sinew" list topics --plain 2>/dev/null) \
$("$sinew" list commands --plain 2>/dev/null)" -- "$word")
        ;;
    list:*)
        mapfile -t COMPREPLY < <(compgen -W "nodes elements joints signals sensors materials sections schemes solvers" -- "$word")
        ;;
    export:* | view:*) mapfile -t COMPREPLY < <(compgen -f -X '!*.h5' -- "$word"; compgen -d -- "$word") ;;
    *) mapfile -t COMPREPLY < <(compgen -f -X '!*.y*ml' -- "$word"; compgen -d -- "$word") ;;
    esac
}
complete -o filenames -F _sinew sinew
