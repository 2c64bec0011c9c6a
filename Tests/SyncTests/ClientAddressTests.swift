import Interchange
import RegistryClient
import Testing

/// Valid registry addresses and their stored form.
@Suite struct ClientAddressTests {
  @Test(arguments: [
    ("https://sail.example.org", "https://sail.example.org"),
    ("HTTPS://Sail.Example.ORG:443/", "https://sail.example.org"),
    ("https://sail.example.org:8443//", "https://sail.example.org:8443"),
    ("https://sail.example.org./api/v1", "https://sail.example.org"),
    ("https://example.org/fleet/kit/", "https://example.org/fleet/kit"),
    ("https://example.org/fleet/api/v1/", "https://example.org/fleet"),
    ("http://localhost:8080", "http://localhost:8080"), ("http://127.0.0.1:80", "http://127.0.0.1"),
    ("http://127.8.9.1", "http://127.8.9.1"), ("http://[::1]:8080", "http://[::1]:8080"),
    ("https://[2001:DB8::1]", "https://[2001:db8::1]"),
  ]) func isNormalised(_ written: String, _ text: String) throws {
    #expect(try RegistryAddress(written).text == text)
  }

  @Test(arguments: [
    "", "sail.example.org", "ftp://sail.example.org", "https://", "https:///api", "https://a b", "https://é.org",
    "https://sail.example.org:0", "https://sail.example.org:65536", "https://sail.example.org:x", "https://a:",
    "https://user:geheim@sail.example.org", "https://user@sail.example.org", "https://a.org?x=geheim",
    "https://a.org#x",
    "https://a.org/../b", "https://a.org/%2e%2e", "https://a.org\\@b.org", "https://[::1", "https://[zz]",
    "https://[1]",
    "http://sail.example.org", "http://127.1", "http://0x7f.0.0.1", "http://127.0.0.1.evil.org", "http://127.0.0.256",
    "http://localhost.evil.org", "http://2130706433", "http://[::ffff:127.0.0.1]", "http://10.0.0.1",
    "file:///etc/passwd",
  ]) func isRefused(_ written: String) {
    #expect { _ = try RegistryAddress(written) } throws: { error in
      let failure = error as? RunFailure
      return failure?.status == .usage && failure?.sentences.contains("geheim@") == false
    }
  }

  @Test func plainHTTPIsTakenWhenItMustBe() throws {
    #expect(try RegistryAddress("http://10.0.0.1:8080", allowsPlainHTTP: true).text == "http://10.0.0.1:8080")
    #expect(try !RegistryAddress("http://10.0.0.1:8080", allowsPlainHTTP: true).isLoopback)
    #expect(try RegistryAddress("http://127.0.0.2").isLoopback)
  }
}
