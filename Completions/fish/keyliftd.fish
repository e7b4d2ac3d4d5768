# Completion of keyliftd for fish.

complete -c keyliftd -f
complete -c keyliftd -s c -l config -rF -d 'The configuration'
complete -c keyliftd -s r -l runtime-directory -xa '(__fish_complete_directories)' -d 'Where the sockets are'
complete -c keyliftd -s C -l check -d 'Only say what is wrong with the configuration'
complete -c keyliftd -s h -l help -d 'Print the help'
complete -c keyliftd -s V -l version -d 'Print the version'
