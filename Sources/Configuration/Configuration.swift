import Diagnostics
import Validation
public struct Configuration: Sendable {
  public var path: String = ""
  public var rules = RuleSelection()
  public var limits = RuleLimits()
}
