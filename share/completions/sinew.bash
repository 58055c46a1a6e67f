# Completion of the sinew command for bash: what can stand here the program itself says (sinew --complete).
_sinew() {
    local line=${COMP_LINE:0:COMP_POINT} word answer endings ending
    local -a words
    COMPREPLY=()
    # as a shell splits them: bash's own words end at = and : as well
    read -r -a words <<<"${line//\\ / }"
    [[ $line != *[[:space:]] ]] || words+=("")
    word=${words[-1]}
    while IFS= read -r answer; do
        case $answer in
        :files*)
            endings=${answer#:files}
            compopt -o filenames
            word=${word#--*=}
            mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -d -- "$word")
            [ -n "$endings" ] || mapfile -t COMPREPLY < <(compgen -f -- "$word")
            for ending in $endings; do
                mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -X "!*.$ending" -- "$word")
            done
            ;;
        *) COMPREPLY+=("${answer%%$'\t'*}") ;;
        esac
    done < <("${words[0]}" --complete "${words[@]:1}" 2>/dev/null)
    # what bash sees as the word begins behind the last = of it
    [[ ${words[-1]} != *=* || $COMP_WORDBREAKS != *=* ]] || COMPREPLY=("${COMPREPLY[@]#"${words[-1]%=*}="}")
    [[ ${#COMPREPLY[@]} -ne 1 || ${COMPREPLY[0]} != *= ]] || compopt -o nospace
}
complete -F _sinew sinew
