# Completion of keyliftctl for fish.

# The words before the cursor without options: the command, and its operands.
function __keyliftctl_words
    set -l words (commandline -opc)
    set -e words[1]
    while set -q words[1]
        switch $words[1]
            case --socket --screen --device --terminal --crosses --points --taps --only --count --timeout --svg --at \
                --scene --duration --seconds --until
                set -e words[1]
            case '-*'
            case '*'
                echo $words[1]
        end
        set -e words[1]
    end
end

# Whether it is one of these commands that is being completed; none before it is there.
function __keyliftctl_is
    set -l words (__keyliftctl_words)
    if set -q words[1]
        contains -- $words[1] $argv
    else
        not set -q argv[1]
    end
end

# Whether the next operand is the one after these words.
function __keyliftctl_after
    test "$(__keyliftctl_words | string collect)" = "$(string split ' ' $argv | string collect)"
end

function __keyliftctl_ask
    set -l words (commandline -opc)
    set -l socket
    for i in (seq (count $words))
        switch $words[$i]
            case '--socket=*'
                set socket --socket (string replace -- --socket= '' $words[$i])
            case --socket
                set socket --socket $words[(math $i + 1)]
        end
    end
    keyliftctl $socket $argv 2>/dev/null
end

function __keyliftctl_screens
    __keyliftctl_ask status | string replace -rf '^Screen +(.*) [0-9.]+x[0-9.]+(, rotated by [0-9]+)?$' '$1'
end

function __keyliftctl_scenes
    __keyliftctl_ask status | string replace -rf '^Scenes +[0-9]+: ' '' |
        string replace -ra ' \(scene-[0-9]+\)(, (\.\.\.)?|$)' '\n' | string match -v ''
end

function __keyliftctl_devices
    __keyliftctl_ask devices | string match -r '^/\S+(?: +[0-9a-f]{4}:[0-9a-f]{4})?' | string split -n ' '
end

function __keyliftctl_views
    __keyliftctl_ask tree | string replace -rf '^.*─ (.*) textInput .*' '$1'
end

function __keyliftctl_notifications
    # After a comma the next.
    set -l before (commandline -ct | string replace -r '^--only=' '' | string match -r '.*,')
    set -q before[1]; or set before ''
    printf '%s\n' $before{snapshot,focusChanged,keyboardWillChangeFrame,keyboardWillShow,keyboardDidChangeFrame} \
        $before{keyboardDidShow,keyboardWillHide,keyboardDidHide,layoutChanged,sceneAttached,sceneUpdated,sceneGone} \
        $before{deviceAdded,deviceRemoved,screenChanged}
end

complete -c keyliftctl -f
complete -c keyliftctl -l help -d 'Print the help'
complete -c keyliftctl -l socket -rF -d 'The socket of the daemon'
complete -c keyliftctl -n __keyliftctl_is -l version -d 'Print the version'

complete -c keyliftctl -n __keyliftctl_is -a status -d 'Whether the daemon runs, and what it knows'
complete -c keyliftctl -n __keyliftctl_is -a devices -d 'The input devices'
complete -c keyliftctl -n __keyliftctl_is -a touches -d 'The fingers on the touchscreens; for root'
complete -c keyliftctl -n __keyliftctl_is -a calibrate -d 'Find a touchscreen\'s matrix; for root'
complete -c keyliftctl -n __keyliftctl_is -a rotate -d 'Turn a screen and its touchscreens; for root'
complete -c keyliftctl -n __keyliftctl_is -a monitor -d 'What happens, as it happens'
complete -c keyliftctl -n __keyliftctl_is -a attach -d 'Register a scene from a file'
complete -c keyliftctl -n __keyliftctl_is -a tree -d 'The views as the daemon has them; for root'
complete -c keyliftctl -n __keyliftctl_is -a plugins -d 'The plugins that decide; for root'
complete -c keyliftctl -n __keyliftctl_is -a clients -d 'Who is connected, and what for; for root'
complete -c keyliftctl -n __keyliftctl_is -a stats -d 'What keyliftd has counted; for root'
complete -c keyliftctl -n __keyliftctl_is -a focus -d 'Make a view the first responder'
complete -c keyliftctl -n __keyliftctl_is -a resign -d 'Make the first responder resign'
complete -c keyliftctl -n __keyliftctl_is -a show -d 'Show the keyboard'
complete -c keyliftctl -n __keyliftctl_is -a hide -d 'Hide the keyboard'
complete -c keyliftctl -n __keyliftctl_is -a inject -d 'Touch the screen, or press a key; for root'
complete -c keyliftctl -n __keyliftctl_is -a reload -d 'Read the configuration again; for root'
complete -c keyliftctl -n __keyliftctl_is -a check -d 'Say what is wrong with a configuration'
complete -c keyliftctl -n __keyliftctl_is -a doctor -d 'Find what is wrong, and say what to do'
complete -c keyliftctl -n __keyliftctl_is -a record -d 'Write down what keyliftd sees; for root'
complete -c keyliftctl -n __keyliftctl_is -a replay -d 'Run a recording again'

complete -c keyliftctl -n '__keyliftctl_is status devices touches calibrate monitor attach tree plugins clients stats reload doctor' \
    -l json -d 'For programs'
complete -c keyliftctl -n '__keyliftctl_is touches tree inject' -l screen -xa '(__keyliftctl_screens)' -d 'This screen'
complete -c keyliftctl -n '__keyliftctl_is touches calibrate' -l device -xa '(__keyliftctl_devices)' -d 'This touchscreen'
complete -c keyliftctl -n '__keyliftctl_is focus resign' -l scene -xa '(__keyliftctl_scenes)' -d 'The scene'

complete -c keyliftctl -n '__keyliftctl_is calibrate' -l terminal -rF -d 'Draw on this terminal'
complete -c keyliftctl -n '__keyliftctl_is calibrate' -l crosses -xa '4 5 6 7 8 9' -d 'How many'
complete -c keyliftctl -n '__keyliftctl_is calibrate' -l points -x -d 'Ask for touches at X,Y ...'
complete -c keyliftctl -n '__keyliftctl_is calibrate' -l taps -rF -d 'Compute from a file'

complete -c keyliftctl -n '__keyliftctl_after rotate' -a '(__keyliftctl_screens)' -d screen
complete -c keyliftctl -n '__keyliftctl_is rotate' -a '0 90 180 270' -d degrees

complete -c keyliftctl -n '__keyliftctl_is monitor' -l only -xa '(__keyliftctl_notifications)' -d 'These notifications'
complete -c keyliftctl -n '__keyliftctl_is monitor' -l count -x -d 'End after so many states'
complete -c keyliftctl -n '__keyliftctl_is monitor' -l timeout -x -d 'End after so many seconds'

complete -c keyliftctl -n '__keyliftctl_is stats' -l openmetrics -d 'For a collector'
complete -c keyliftctl -n '__keyliftctl_is stats' -l watch -d 'Again each second'

complete -c keyliftctl -n '__keyliftctl_is doctor' -l user -xa '(__fish_complete_users)' -d 'Judge the access of this user'
complete -c keyliftctl -n '__keyliftctl_is doctor' -l no-touch -d 'Ask nobody to touch the screen'
complete -c keyliftctl -n '__keyliftctl_is doctor' -l wait -x -d 'How many seconds to wait for a touch'

complete -c keyliftctl -n '__keyliftctl_is attach check record replay' -F
complete -c keyliftctl -n '__keyliftctl_is attach' -l touches -d 'Also the touches of its views'

complete -c keyliftctl -n '__keyliftctl_is tree' -l svg -rF -d 'Draw the screen'
complete -c keyliftctl -n '__keyliftctl_is tree' -l at -x -d 'What a touch at X,Y would do'
complete -c keyliftctl -n '__keyliftctl_after tree' -a '(__keyliftctl_scenes)' -d scene

complete -c keyliftctl -n '__keyliftctl_after focus' -a '(__keyliftctl_views)' -d view

complete -c keyliftctl -n '__keyliftctl_is inject' -l duration -x -d 'Seconds that the finger is down'
complete -c keyliftctl -n '__keyliftctl_after inject' -a 'tap drag key'
complete -c keyliftctl -n '__keyliftctl_after inject key' -a 'dismiss next previous enter'

complete -c keyliftctl -n '__keyliftctl_is record' -l seconds -x -d 'End that long after it began'
complete -c keyliftctl -n '__keyliftctl_is record' -l force -d 'Write over a file'

complete -c keyliftctl -n '__keyliftctl_is replay' -l verbose -d 'Each input with what is decided'
complete -c keyliftctl -n '__keyliftctl_is replay' -l until -x -d 'No further than this line'
complete -c keyliftctl -n '__keyliftctl_is replay' -l state -d 'All that the core knows at the end'
