import Content
import Diagnostics

/// All rules. A new rule is added to one of these lists, on its own line.
public enum RuleSet {
  /// The requirements of the app and the registry, in code order.
  public static let publish: [any Rule.Type] = [
    RequireKnownContentType.self,
    RequireBody.self,
    TitleFits.self,
    RequireDescription.self,
    DescriptionFits.self,
    TagsFit.self,
    LanguageFits.self,
    RequireSections.self,
    RequireStepsInSections.self,
    RequireTitlesInside.self,
    RequireGuideText.self,
    RequireCards.self,
    RequireCardSides.self,
    PublicIDIsSlug.self,
    IDsAreUUIDs.self,
    NoUnseenRecovery.self,
    PayloadIsComplete.self,
    PayloadDatesAreWholeSeconds.self,
    WithdrawalNamesPublication.self,
  ]

  /// Advice, in code order.
  public static let lint: [any Rule.Type] = (lists + texts).sorted { $0.code.id < $1.code.id }

  /// Advice about ids, checklists, decks, charters and executions.
  private static let lists: [any Rule.Type] = [
    NoSharedID.self,
    NoSharedIDInside.self,
    NoRequiredAndOptional.self,
    NoEmptySection.self,
    NoOptionalStepInEmergency.self,
    NoRepeatedStep.self,
    StepReadsAtAGlance.self,
    MinutesAddUp.self,
    MinutesArePositive.self,
    NoEndlessStep.self,
    StepTitleAgreesWithMinutes.self,
    NoEndlessSection.self,
    RequireTitle.self,
    NoTypedNumbers.self,
    NoUntidyTitle.self,
    ChecklistTypeIsKnown.self,
    EmergencyIsMarked.self,
    DetailsSayMore.self,
    SortOrderFollowsPlace.self,
    RequireContent.self,
    NoTypedBullets.self,
    NoCardAnsweringItself.self,
    NoRepeatedFront.self,
    RequireBothSides.self,
    CharterEndsAfterItsStart.self,
    PositionIsOnEarth.self,
    ReferencesLeadSomewhere.self,
    TicksBelongToSteps.self,
  ]

  /// Advice about guides, tags, languages, characters, lineage and privacy.
  private static let texts: [any Rule.Type] = [
    NoHeadingJump.self, NoSecondTopHeading.self, NoEmptyHeading.self, NoDeadLinks.self, NoMissingImages.self,
    NoNetworkImages.self, NoInsecureLinks.self, NoForeignMarkdown.self, NoUnclosedFence.self,
    OneSpellingPerTag.self, NoDuplicateTags.self, NoBlankTags.self, TagIsPlainWords.self, LanguageIsATag.self,
    TextMatchesLanguage.self, NoMixedScripts.self, NoBidiControls.self, NoInvisibleCharacters.self,
    TextIsComposed.self, NoMojibake.self, NoPlaceholders.self, NoShoutingTitles.self,
    NoDoubledWord.self, NoMarkupInPlainText.self,
    NoForkCycle.self, ForkNamesItsOriginal.self, NoSharedPublicID.self, NoSharedTitle.self, UpdatedAfterCreated.self,
    VisibilityIsKnown.self,
    NoSecrets.self, NoPaymentNumbers.self, NoPersonalData.self, NoHomePosition.self, NoExactPosition.self,
    NoLocalPaths.self,
  ]

  /// All rules.
  public static let all: [any Rule.Type] = publish + lint

  /// The codes of all rules.
  public static let codes: [DiagnosticCode] = all.map { $0.code }
}
