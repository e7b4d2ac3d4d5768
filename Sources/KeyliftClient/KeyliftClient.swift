// KeyliftClient
