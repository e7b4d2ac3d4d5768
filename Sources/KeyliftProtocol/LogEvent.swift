/// What an operator may want to hear of at once, by its MESSAGE_ID (Documentation/operation.md).
package enum LogEvent: String {
  case configurationRefused = "7ead5dfd8500497fac1e70de8e9e02a3"
  case deviceUnusable = "1a40dd4f52a949d099cd6ac5832458f4"
  case eventsLost = "880ca5f70efc45ed8d0ce753c6060b96"
  case clientClosed = "46046884e78442f08d959f7f8d6c3277"
  case pluginLeftOut = "bf28a4279d414dad9ecf91cdf8cc03a0"
}
