import Glibc
import KeyliftOSK

exit(runKeyliftOSK())
