import Foundation
import TestSupport
import Testing
import Validation

/// The paths that a pattern matches.
@Suite struct ConfigGlobTests {
  @Test(arguments: [
    ("*.json", ["a.json", "a/b.json", "a.json/b"], ["a.jsonl", "json", "a/b"]),
    ("drafts", ["drafts", "drafts/a", "x/drafts/a.json"], ["draft", "drafts2", "xdrafts"]),
    ("drafts/", ["drafts/a", "x/drafts/a"], ["draft/a"]),
    ("/drafts", ["drafts/a"], ["x/drafts/a"]), ("./drafts", ["drafts/a"], ["x/drafts/a"]),
    ("drafts/*.md", ["drafts/a.md"], ["drafts/x/a.md", "x/drafts/a.md", "drafts/a.mdx"]),
    ("drafts/**", ["drafts/a", "drafts/a/b"], ["drafts", "x/drafts/a"]),
    ("**/drafts/*.md", ["drafts/a.md", "x/y/drafts/a.md"], ["drafts/x/a.md", "xdrafts/a.md"]),
    ("a/**/b", ["a/b", "a/x/b", "a/x/y/b", "a/b/c"], ["ab", "a/xb", "x/a/b"]),
    ("a**b", ["ab", "axb", "x/ab/c"], ["ac"]), ("a/x**y", ["a/xy", "a/x/z/y"], ["a/x/z"]),
    ("?.md", ["é.md", "😀.md", "x/a.md"], ["ab.md", ".md"]),
    ("[a-c]?.md", ["ax.md", "cx.md"], ["dx.md", "a/.md"]), ("[!a-c].md", ["d.md"], ["a.md", "/.md"]),
    ("[]x].md", ["].md", "x.md"], ["y.md"]), ("[a-].md", ["-.md", "a.md"], ["b.md"]),
    ("*.{json,jsonl}", ["a.json", "a/b.jsonl"], ["a.js", "a.json{"]), ("{a,b/c}/d", ["a/d", "b/c/d"], ["c/d", "b/d"]),
    ("x{,y*}z", ["xz", "xyz", "xyabz"], ["xaz"]), (#"\*.md"#, ["*.md"], ["a.md"]), (#"a\[b"#, ["a[b"], ["ab"]),
    ("*", ["a", "a/b", "-"], []), ("**", ["a", "a/b"], []), ("ж*", ["жук"], ["Жук"]),
  ])
  func matchesWhatItSays(_ pattern: String, _ yes: [String], _ no: [String]) throws {
    let glob = try PathGlob(pattern)
    for path in yes { #expect(glob.matches(path), "\(pattern) should match \(path)") }
    for path in no { #expect(!glob.matches(path), "\(pattern) should not match \(path)") }
  }

  @Test(arguments: [
    "", "/", "./", "[a", "[", "[]", "{a", "{a,", "{a,{b,c}}", "a\\", "[a\\", "../a", "a/../b", "!a", "[z-a]", "[a/b]",
    "a/./b",
    String(repeating: "a", count: 1001),
  ])
  func refusesWhatIsNoPattern(_ pattern: String) throws {
    let error = try #require(throws: PathGlob.PatternError.self) { try PathGlob(pattern) }
    #expect(!error.message.isEmpty)
  }

  @Test func hostilePatternsAreQuick() throws {
    let started = ContinuousClock.now
    let path = String(repeating: "a", count: 600)
    for pattern in ["*a", "**/", "a*", "{a,aa,*}", "{a,b}*", "**"] {
      let glob = try PathGlob(String(repeating: pattern, count: 900 / pattern.count) + "b")
      #expect(!glob.matches(path))
    }
    #expect(ContinuousClock.now - started < .seconds(60))
  }

  /// The results equal those of the shell's own patterns, for patterns that have the same meaning in both.
  @Test func answersAsTheSystemDoes() throws {
    var random = SeededRandom(seed: 5)
    let pieces = ["a", "b", "*", "?", "[ab]", "[!a]", "/", ".", "a*"]
    var matched = 0
    for _ in 0..<4000 {
      let pattern = "/" + (0..<random.below(6) + 1).map { _ in random.pick(pieces) }.joined()
      let path = (0..<random.below(6) + 1).map { _ in random.pick(["a", "b", "/", ".", "ab"]) }.joined()
      guard !pattern.contains("**"), !pattern.contains("//"), !path.contains("//"), let glob = try? PathGlob(pattern),
        !pattern.hasSuffix("/")
      else { continue }
      // A folder that matches includes everything in it.
      let names = path.split(separator: "/", omittingEmptySubsequences: false)
      let theirs = (1...names.count).contains { count in
        fnmatch(pattern, "/" + names.prefix(count).joined(separator: "/"), FNM_PATHNAME) == 0
      }
      #expect(glob.matches(path) == theirs, "\(pattern) \(path)")
      if theirs { matched += 1 }
    }
    #expect(matched > 100)
  }

  @Test func namesOfFilesAreTakenRelativeToTheFolder() {
    let scope = PathScope(folder: "/home/user/content", workingFolder: "/home/user")
    #expect(scope.relative("content/a.json") == "a.json")
    #expect(scope.relative("./content//x/../a.json") == "a.json")
    #expect(scope.relative("/home/user/content/x/a.json") == "x/a.json")
    #expect(scope.relative("other/a.json") == nil && scope.relative("content") == nil)
    #expect(scope.relative("/home/user/content2/a.json") == nil)
    #expect(PathScope(folder: "/").relative("/a") == "a")
    #expect(PathScope.absolute("../../../../a", from: "/x/y") == "/a")
  }
}
