# Completion of the sinew command for fish: what can stand here the program itself says (sinew --complete).
function __sinew_complete
    set -l words (commandline -opc)
    set -l typed (commandline -ct)
    for answer in (command $words[1] --complete $words[2..-1] "$typed" 2>/dev/null)
        if string match -q ':files*' -- $answer
            set -l before (string match -r '^--[^=]*=' -- "$typed")
            for file in (__fish_complete_path (string replace -r '^--[^=]*=' '' -- "$typed"))
                set -l endings (string split -n ' ' -- (string replace ':files' '' -- $answer))
                set -l name (string split \t -- $file)[1]
                if test -z "$endings"; or string match -q '*/' -- $name; or contains -- (string replace -r '.*\.' '' -- $name) $endings
                    echo "$before$file"
                end
            end
        else
            echo $answer
        end
    end
end
complete -c sinew -f -a '(__sinew_complete)'
