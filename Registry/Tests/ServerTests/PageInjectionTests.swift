import Foundation
import JSONText
import RegistryModel
import RegistryTestSupport
import Testing

@testable import Pages

/// Publishes hostile text in every field, and checks that no markup in it reaches a page.
@Suite struct PageInjectionTests {
  /// Text that would run, or change the page, if a page contained it unescaped. The third line has a quote that is one
  /// character with its accent.
  static let texts = [
    "<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "\"\u{301} autofocus onfocus=alert(1) x=\"\u{301}",
    "'\u{301}><svg/onload=alert(1)>", "</title></script></textarea><script>alert(1)//", "<!-- <![CDATA[ ]]> --> <?x ?>",
    "{{{data}}} {{#items}} {{>layout}} {{=<% %>=}}", "&lt;script&gt; &#60;script&#62; &quot;", "<\u{338}b>bold</b>",
    "javascript:alert(1)", "\u{2028}\u{2029}\u{202E}\u{FEFF}\u{FFFE}", "\\u003cscript\\u003e \\\" '-alert(1)-'",
    "<a href=\"javascript:alert(1)\">x</a>", "`</code><script>alert(1)</script>`",
  ]

  /// Markdown that would run, load something or link to something, if the writer were careless.
  static let markdown = [
    "[x](javascript:alert(1))", "[x](JaVaScRiPt:alert(1))", "[x](&#106;avascript:alert(1))",
    "[x](java&Tab;script:alert(1))",
    "[x](<javascript:alert(1)>)", "<javascript:alert(1)>", "<JAVASCRIPT://x/%0aalert(1)>",
    "[x][j]\n\n[j]: javascript:alert(1)",
    "[x](vbscript:x) [y](data:text/html,<script>alert(1)</script>) [z](file:///etc/passwd)",
    "[x](//evil.example) [y](/c/x)",
    "![x](javascript:alert(1))", "![x](data:image/svg+xml;base64,PHN2Zz4=)", "![x](http://evil.example/a.png)",
    "![\" onerror=\"alert(1)](https://pictures.example/a.png)", "![a](https://pictures.example/\"onerror=\"alert(1))",
    "[x](https://example.org/\"onmouseover=\"alert(1))", "[x](https://example.org/ \"\\\" onmouseover=alert(1)\")",
    "<https://example.org/\"onmouseover=alert(1)>", "[*a](https://example.org)*",
    "[![x](https://pictures.example/b.png](javascript:x)",
    "<img src=x onerror=alert(1)>", "<script>\nalert(1)\n</script>", "<details open ontoggle=alert(1)>",
    "<!-- hidden -->",
    "<!-- not closed\n<script>alert(1)</script>", "> <script>alert(1)</script>\n> text",
    "- <b onclick=alert(1)>\n- [x] <i>",
    "| <script> | \\| |\n|---|---|\n| <img src=x onerror=alert(1)> | `|` |",
    "```js\"><script>\n</code></pre><script>\n```",
    "    <script>indented</script>", "# <script>alert(1)</script> #", "&lt;script&gt; &#x3C;script&#x3E;",
    "<br onload=alert(1)> <br/>",
    "a\\\nb  \nc", "~~~\n<script>", "1000000000. x\n999999999) y", "**<b>** _\"_ `<i>`",
  ]

  @Test func `text in every field stays text`() async throws {
    try await TestServer.run { server in
      let benign = try await Self.pages(of: "x", "a", server)
      for (number, text) in Self.texts.enumerated() {
        let hostile = try await Self.pages(of: text, "h\(number)", server)
        for (page, other) in zip(hostile, benign) {
          let (found, expected) = (try PageTags(page.text), try PageTags(other.text))
          #expect(found.tags.map(\.name) == expected.tags.map(\.name), "\(page.path) with \(text)")
          #expect(found.tags.map(\.names) == expected.tags.map(\.names), "\(page.path) with \(text)")
          Self.checkTargets(found, "\(page.path) with \(text)")
          // XML forbids the character; browsers ignore it.
          #expect(!page.path.hasPrefix("/feed") || !page.text.unicodeScalars.contains("\u{FFFE}"))
          for data in found.tags where data.attributes["type"] == "application/ld+json" {
            #expect(Self.isJSON(page.text, from: data), "\(page.path) with \(text)")
          }
        }
      }
    }
  }

  private static func isJSON(_ page: String, from tag: PageTags.Tag) -> Bool {
    guard let start = page.range(of: "<script type=\"application/ld+json\">")?.upperBound,
      let end = page[start...].range(of: "</script>")?.lowerBound
    else { return false }
    return (try? JSONDocument(parsing: String(page[start..<end]))) != nil
  }

  /// Publishes items of all types whose fields are `text`, and returns all pages that contain it.
  private static func pages(
    of text: String, _ name: String, _ server: TestServer
  ) async throws -> [(path: String, text: String)] {
    let person = try await server.person("author-\(name)")
    var quoted = JSONText.ByteBuffer(capacity: 256)
    quoted.appendJSONString(text)
    let json = String(decoding: quoted.bytes, as: UTF8.self)
    // A name that cannot be shown counts as missing.
    let isName = text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .format }
    let more =
      #","description":\#(json),"tags":[\#(json)],"language":"en","#
      + #""forked_from_id":"\#(RegistryID().text)","original_author_username":\#(isName ? json : "\"x\"")"#
    let step = #"{"title":\#(json),"itemDescription":\#(json),"tags":[\#(json)],"isRequired":true}"#
    let section = #"{"title":\#(json),"description":\#(json),"icon":\#(json),"items":[\#(step)]}"#
    let card = #"{"front":"f","back":"b","hint":\#(json),"source":\#(json),"tags":[\#(json)]}"#
    for (type, data) in [
      ("checklist", #"{"title":\#(json),"sections":[\#(section)]}"#), ("practice_guide", #"{"markdown":"g"}"#),
      ("flashcard_deck", #"{"cards":[\#(card)]}"#),
    ] {
      let answer = try await server.send(
        "POST", "\(TestServer.content)/share", token: person.token,
        body:
          #"{"title":\#(json),"content_type":"\#(type)","content_data":\#(data),"public_id":"\#(name)-\#(type)"\#(more)}"#
          .replacing("\(name)-\(type)", with: "\(name)-\(type.replacing("_", with: "-"))"))
      #expect(answer.status == 201, "\(answer.text)")
    }
    // Profiles refuse some characters that titles may have.
    let profile =
      #"{"bio":\#(json),"location":\#(json),"nationality":"DE","social_links":"#
      + #"[{"id":"\#(RegistryID().text)","platform":"other","handle":\#(json)}]}"#
    let put = try await server.send("PUT", "/api/v1/auth/me", token: person.token, body: profile)
    if put.status != 200 {
      let plain = profile.replacing(json, with: "\"x\"")
      #expect(try await server.send("PUT", "/api/v1/auth/me", token: person.token, body: plain).status == 200)
    }
    let word = PercentEncoding.encode(text)
    var pages: [(String, String)] = []
    for path in [
      "/c/\(name)-checklist", "/c/\(name)-practice-guide", "/c/\(name)-flashcard-deck",
      "/u/\(person.grant.user.username)",
      "/?tag=\(word)", "/?q=none&tag=\(word)", "/?q=\(word)+nothing", "/feed.atom?tag=\(word)", "/c/\(word)",
      "/u/\(word)",
      "/?page=\(word)",
    ] {
      let answer = try await server.send("GET", path)
      #expect(answer.status < 500, "\(path)")
      pages.append((path, answer.text))
    }
    return pages
  }

  /// Checks that links and pictures have allowed addresses, and that no attribute is a script.
  private static func checkTargets(_ page: PageTags, _ what: String) {
    for tag in page.tags {
      #expect(tag.names.allSatisfy { !$0.hasPrefix("on") && $0 != "style" && $0 != "srcdoc" }, "\(what)")
      let isAllowed = { (target: String) in
        target.hasPrefix("/") && !target.hasPrefix("//") || target.hasPrefix("#") || target.hasPrefix("https://")
          || target.hasPrefix("http://") || target.hasPrefix("mailto:")
      }
      if let href = tag.attributes["href"] { #expect(isAllowed(href), "\(what): \(href)") }
      if let source = tag.attributes["src"] {
        #expect(source.hasPrefix("https://pictures.example/") || source.hasPrefix("/assets/"), "\(what): \(source)")
      }
      if tag.name == "script" {
        #expect(tag.attributes["src"] != nil || tag.attributes["type"] == "application/ld+json")
      }
    }
  }

  /// The tags that Markdown may become.
  private static let allowed: Set<String> = [
    "p", "br", "em", "strong", "code", "pre", "a", "img", "ul", "ol", "li", "blockquote", "hr", "table", "thead",
    "tbody", "tr", "th", "td", "span", "h1", "h2", "h3", "h4", "h5", "h6", "div",
  ]

  @Test(arguments: markdown + texts) func `Markdown becomes only known tags`(text: String) throws {
    let page = try PageTags(MarkdownHTML.html(text, below: 1))
    #expect(Set(page.tags.map(\.name)).subtracting(Self.allowed).isEmpty, "\(page.text)")
    for tag in page.tags {
      #expect(
        Set(tag.names).subtracting([
          "href", "rel", "src", "alt", "loading", "class", "start", "scope", "role", "tabindex",
        ]).isEmpty)
    }
    Self.checkTargets(page, text)
    #expect(!page.hrefs.contains { $0.hasPrefix("/") }, "\(page.text)")
  }
}
