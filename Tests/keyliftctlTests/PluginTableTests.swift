import Testing
import Varlink

@testable import keyliftctl

@Test("plugins: a row each, with what keeps one that rests")
func pluginTable() throws {
  let plugins = try json(
    """
    [{"name":"night","socket":"/run/keylift/plugins/night.sock","state":"ready",
      "transitions":["showKeyboard"],"order":0,"asked":12,"refused":3,"unanswered":0,"retryIn":null},
     {"name":"slow.sock","socket":"/run/keylift/plugins/slow.sock","state":"resting",
      "transitions":[],"order":5,"asked":3,"refused":0,"unanswered":3,"retryIn":0.75}]
    """)
  #expect(
    PluginTable.drawn(plugins.asArray ?? []) == """
      NAME       ORDER  STATE                    ASKED  REFUSED  UNANSWERED  DECIDES ABOUT
      night      0      ready                    12     3        0           showKeyboard
      slow.sock  5      resting, again in 0.8 s  3      0        3

      """)
  #expect(PluginTable.drawn([]) == "No plugins.\n")
}
