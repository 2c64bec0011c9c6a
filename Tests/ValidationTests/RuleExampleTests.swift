import Content
import Diagnostics
import FleetKit
import Foundation
import Interchange
import TestSupport
import Testing
import Validation

/// Every example on a rule's page has exactly the findings of that rule that the page lists.
@Suite struct RuleExampleTests {
  @Test func everyRuleHasAPageWithGoodAndBadExamples() throws {
    let pages = try RulePage.all()
    for rule in RuleSet.all {
      let page = try #require(pages["\(rule)"], "\(rule) has no doc comment or no file of its own")
      #expect(page.examples.contains { !$0.pointers.isEmpty }, "\(rule): an example with a finding")
      #expect(page.examples.contains { $0.pointers.isEmpty }, "\(rule): an example without")
    }
    #expect(Set(pages.keys) == Set(RuleSet.all.map { "\($0)" }), "every rule's file is registered")
  }

  @Test func codesAreInOrder() {
    for rules in [RuleSet.publish, RuleSet.lint] {
      let ids = rules.map { $0.code.id }
      #expect(ids == ids.sorted() && Set(ids).count == ids.count)
    }
    #expect(RuleSet.publish.allSatisfy { $0.layer == .publish && $0.code.id.hasPrefix("PUB") })
    #expect(RuleSet.lint.allSatisfy { $0.layer == .lint && $0.code.id.hasPrefix("LNT") })
  }

  @Test(arguments: RuleSet.codes.map(\.id))
  func examplesHaveTheirFindings(_ id: String) throws {
    let rule = try #require(RuleSet.all.first { $0.code.id == id })
    let page = try #require(try RulePage.all()["\(rule)"])
    for example in page.examples {
      let scratch = Scratch()
      let path = scratch.path + "/example.json"
      try example.text.write(toFile: path, atomically: true, encoding: .utf8)
      let context = RunContext(now: Timestamp(milliseconds: 0))
      let runner = RuleRunner([rule])
      var found: [Diagnostic] = []
      let rejected = try RecordScan(sources: try SourceList([path])).run(context: context) { record in
        found += runner.check(record).map(\.finding)
      }
      found += runner.finish().map(\.finding)
      #expect(rejected == 0, "\(rule): \(example.heading): \(context.findings.kept.map(\.message))")
      #expect(found.map(\.place.pointer) == example.pointers, "\(rule): \(example.heading): \(found.map(\.message))")
    }
  }
}
