import Diagnostics
import Testing
import Validation

/// Cases of the privacy and lineage rules that are more difficult than the examples on their pages.
@Suite struct PrivacyRuleTests {
  @Test(arguments: [
    "Password: hunter2", "wifi password is sail2024!", "PWD=abc123", "PIN 4711", "pin: 0815", "SIM PUK 12345678",
    "Пароль — Волна2024", "ПАРОЛЬ: чайка7", "Код от калитки 2580", "Door code: 1234#", "api key: 9f8e7d6c5b4a",
    "WPA2 key: NadezhdaII", "token=abcd1234efgh", "AKIAIOSFODNN7EXAMPLE", "ghp_abcdefghijklmnopqrstuvwxyz0123456789",
    "sk_live_4eC39HqLyjWDarjtT1", "-----BEGIN RSA PRIVATE KEY-----\nMIIE", "`password`: \"s3cret\"",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P", "Wi-Fi password (guests): **sea2sea**",
  ])
  func secretsAreSeen(_ text: String) throws {
    let probe = try TextProbe.title(text, "LNT0601")
    #expect(probe.findings.count == (text.contains("NadezhdaII") ? 0 : 1))
    for word in ["hunter2", "Волна2024", "9f8e7d6c5b4a"] {
      #expect(!probe.findings.contains { $0.message.contains(word) }, "a report must not spread the secret")
    }
  }

  @Test(arguments: [
    "Password written down and stored ashore", "Passwords: change all 3", "Password: see page 12",
    "Pin 10 mm, clevis pin 8x40",
    "Passage 12 hours, passport 2 copies", "Error code: 1204", "QR code 15", "Код МКС: 16", "Кодовый флаг 4",
    "Wi-Fi password: ask at the office, 2 devices", "PIN: ____", "password: <password>", "Pin the chart 1:50000 up",
    "Key: 2 spares, engine key on the hook 7", "token of thanks: 12 bottles", "Пароль: узнать у боцмана",
    "PIN code for the card in the safe",
    "Country code: 30", "Safety first, code of conduct", "Пинг 2000", "https://e.org/password/reset2",
  ])
  func talkOfSecretsIsNone(_ text: String) throws {
    #expect(try TextProbe.title(text, "LNT0601").findings.map(\.message) == [])
  }

  @Test func knownWordsPass() throws {
    var limits = RuleLimits()
    limits.knownWords = ["Hunter2"]
    let json = "{\"content_type\":\"checklist\",\"title\":\"Password: hunter2\",\"content_data\":null}"
    #expect(try TextProbe(json, "LNT0601", limits: limits).findings.isEmpty)
  }

  @Test(arguments: [
    ("4111111111111111", true), ("5500-0000-0000-0004", true), ("3782 822463 10005", true),
    ("DE89 3704 0044 0532 0130 00 please", true),
    ("GR1601101250000000012300695", true), ("4111111111111112", false), ("0000 0000 0000 0000", false),
    ("MMSI 211234560 2112345", false),
    ("DE89 3704 0044 0532 0130 01", false), ("x4111111111111111", false), ("41111111111111111111111111", false),
    ("HIN GB-ABC12345D424", false),
  ])
  func numbersThatPayAreKnownByTheirCheckDigits(_ text: String, _ isFound: Bool) throws {
    #expect(try TextProbe.title(text, "LNT0602").findings.count == (isFound ? 1 : 0))
  }

  @Test(arguments: [
    ("Ask petros.k+boat@gmail.com.", true), ("+30 694-412 (3456)", true), ("Звонить Анне: +7 905 123-45-67", true),
    ("booking@e.org", false), ("MRCC +30 210 4112500", false), ("@ 16:00", false), ("a@b", false), ("x@1.5", false),
    ("+15 degrees 2000 rpm 12 V", false), ("Спасатели: +7 8622 12 34 56", false), ("5+3 694412345678", false),
    ("user@example.com", false),
  ])
  func personsAreToldFromServices(_ text: String, _ isFound: Bool) throws {
    #expect(try TextProbe.title(text, "LNT0603").findings.count == (isFound ? 1 : 0))
  }

  @Test(arguments: [
    ("Home: 37.94203, 23.64691", "LNT0604"), ("Наша стоянка: 43°35'12\"N 39°43'05\"E", "LNT0604"),
    ("Buoy 37°56.5'N 23°38.9'E", "LNT0605"), ("54,3 m; 37.9420, -23.6469", "LNT0605"),
    ("-37.9420 -023.6469", "LNT0605"),
    ("43°35′N 039°43′E", ""), ("1.500, 2.000", ""), ("3.14159 2", ""), ("12.34567 V", ""), ("99.1234, 12.1234", ""),
    ("1.2.3.4.5678, 9.87654", ""),
    ("Heel 5° 10.5' 3", ""),
  ])
  func positionsAreSeenWhenTheyAreExact(_ text: String, _ code: String) throws {
    #expect(try TextProbe.title(text, "LNT0604").findings.map(\.code.id) == (code == "LNT0604" ? [code] : []))
    #expect(try TextProbe.title(text, "LNT0605").findings.map(\.code.id) == (code == "LNT0605" ? [code] : []))
  }

  @Test(arguments: [
    ("Buoy 37°56.5'N 23°38.9'E, red", "“37°56.5'N 23°38.9'E”"),
    ("at N 37°56.5' E 23°38.9' E", "“N 37°56.5' E 23°38.9'”"),
    ("37°56,5′ с. ш. 23°38,9′ в. д., буй", "“37°56,5′ с. ш. 23°38,9′ в. д.”"),
    ("37°56.5'N 23°38.9' East of", "“37°56.5'N 23°38.9'”"), ("IN 37°56.5' 23°38.9'", "“37°56.5' 23°38.9'”"),
  ])
  func positionsAreQuotedWithTheirLetters(_ text: String, _ quoted: String) throws {
    #expect(try TextProbe.title(text, "LNT0605").findings.map { $0.message.contains(quoted) } == [true])
  }

  @Test(arguments: [
    ("See /Users/anna/x.pdf", true), ("(/home/petros/boat)", true), ("file:///a", true), ("D:\\boat\\x", true),
    ("/Volumes/NAS/x", true),
    ("https://e.org/Users/a", false), ("/home/", false), ("profile:/x", false), ("a:\\", false),
    ("Home/Users/x", false), ("и\\или", false),
  ])
  func pathsOfOneComputerAreSeen(_ text: String, _ isFound: Bool) throws {
    #expect(try TextProbe.title(text, "LNT0606").findings.count == (isFound ? 1 : 0))
  }

  @Test func longChainsOfForksAreFollowedOnce() throws {
    func id(_ number: Int) -> String {
      let digits = String(number)
      return "00000000-0000-4000-8000-" + String(repeating: "0", count: 12 - digits.count) + digits
    }
    // A chain of 3000 items, whose last one refers to an item in the middle.
    let items = (1...3000).map { number in
      "{\"id\":\"\(id(number))\",\"content_type\":\"checklist\",\"title\":\"T\(number)\",\"forked_from_id\":\""
        + "\(id(number == 3000 ? 1500 : number + 1))\",\"content_data\":null}"
    }
    let probe = try TextProbe("[" + items.joined(separator: ",") + "]", "LNT0501")
    #expect(probe.findings.map(\.message.numbers) == [[1501]])
    #expect(probe.findings.first?.title == "T1500")
  }

  @Test func theSameItemTwiceIsNoQuarrel() throws {
    let item =
      "{\"id\":\"0D0939BC-A71B-49F8-B06C-C047F24F4730\",\"content_type\":\"checklist\",\"title\":\"A\",\"public_id\":\"a-1\",\"content_data\":null}"
    #expect(try TextProbe("[\(item),\(item)]", "LNT0503", "LNT0504").findings.isEmpty)
  }
}
