# Completion of keylift-osk for fish.

complete -c keylift-osk -f
complete -c keylift-osk -s k -l keyboard -xa 'auto squeekboard wvkbd onboard matchbox maliit kwin' -d 'Which keyboard'
complete -c keylift-osk -s H -l height -x -d 'How high it is'
complete -c keylift-osk -s o -l overlay -d 'It lies above full-screen windows'
complete -c keylift-osk -s s -l show -xa '(__fish_complete_command)' -d 'What shows it'
complete -c keylift-osk -s i -l hide -xa '(__fish_complete_command)' -d 'What hides it'
complete -c keylift-osk -s r -l run -xa '(__fish_complete_command)' -d 'What shows it as long as it runs'
complete -c keylift-osk -s S -l socket -rF -d 'The socket of the daemon'
complete -c keylift-osk -s v -l verbose -d 'Tell of each step'
complete -c keylift-osk -s h -l help -d 'Print the help'
complete -c keylift-osk -s V -l version -d 'Print the version'
