import Testing
import Varlink

@testable import keyliftctl

@Test("clients: a row each with what it is there for, and the limits below")
func clientTable() throws {
  let reply = try json(
    """
    {"clients":[
     {"id":1,"socket":"main","uid":1000,"pid":812,"process":"kiosk","age":12.34,
      "call":"io.keylift.Scene.Attach","scene":"scene-1","name":"form","driver":null,
      "unsent":0,"merged":3,"calls":2},
     {"id":7,"socket":"main","uid":1000,"pid":9,"process":null,"age":7300,"call":null,"scene":null,
      "name":null,"driver":null,"unsent":300,"merged":0,"calls":0},
     {"id":1,"socket":"control","uid":0,"pid":99,"process":"ke\\u001bct\\u0007l","age":600,
      "call":"io.keylift.Keyboard.Drive","scene":null,"name":null,"driver":"osk",
      "unsent":0,"merged":0,"calls":1}],
     "sockets":[
      {"socket":"main","connections":2,"mostConnections":1024,"mostPerUser":256,"mostUnsent":262144,"refused":5}]}
    """)
  let drawn = ClientTable.drawn(reply["clients"].asArray ?? [], sockets: reply["sockets"].asArray ?? [])
  #expect(
    drawn == """
      SOCKET   ID  UID   PID  PROCESS           AGE     UNSENT  MERGED  CALLS  CALL
      main     1   1000  812  kiosk             12.3 s  0       3       2      Scene.Attach, form (scene-1)
      main     7   1000  9    gone              2 h     300     0       0
      control  1   0     99   ke\\u{1b}ct\\u{7}l  10 min  0       0       1      Keyboard.Drive, osk

      main: 2 of 1024 connections, 256 a user at most, 5 refused

      """)
}
