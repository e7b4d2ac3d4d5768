import Glibc
import KeyliftDaemon

exit(runKeyliftd())
