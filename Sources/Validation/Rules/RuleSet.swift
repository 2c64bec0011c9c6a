import Content
import Diagnostics

/// Every rule that there is; a new one is one more line here.
public enum RuleSet {
  /// What the app and the registry require, in the order of codes.
  public static let publish: [any Rule.Type] = []

  /// Advice, in the order of codes.
  public static let lint: [any Rule.Type] = (lists + texts).sorted { $0.code.id < $1.code.id }

  /// About checklists, their steps, and decks.
  private static let lists: [any Rule.Type] = [
    NoRequiredAndOptional.self
  ]

  /// About guides, tags, languages, characters, lineage and privacy.
  private static let texts: [any Rule.Type] = [
    NoHeadingJump.self, NoSecondTopHeading.self, NoEmptyHeading.self, NoDeadLinks.self, NoMissingImages.self,
    NoNetworkImages.self, NoInsecureLinks.self, NoForeignMarkdown.self, NoUnclosedFence.self,
    OneSpellingPerTag.self, NoDuplicateTags.self, NoBlankTags.self, TagIsPlainWords.self, LanguageIsATag.self,
    TextMatchesLanguage.self, NoMixedScripts.self, NoBidiControls.self, NoInvisibleCharacters.self,
    TextIsComposed.self, NoMojibake.self, NoPlaceholders.self, NoShoutingTitles.self,
    NoForkCycle.self, ForkNamesItsOriginal.self, NoSharedPublicID.self, NoSharedTitle.self, UpdatedAfterCreated.self,
    NoSecrets.self, NoPaymentNumbers.self, NoPersonalData.self, NoHomePosition.self, NoExactPosition.self,
    NoLocalPaths.self,
  ]

  /// All of them.
  public static let all: [any Rule.Type] = publish + lint

  /// Their codes.
  public static let codes: [DiagnosticCode] = all.map { $0.code }
}
