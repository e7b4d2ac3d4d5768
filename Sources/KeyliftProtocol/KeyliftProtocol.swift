// KeyliftProtocol
