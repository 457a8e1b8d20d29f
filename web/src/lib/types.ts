import type { components } from "./schema";

type Schemas = components["schemas"];

export type Advice = Schemas["AdviceShown"];
export type Analysed = Schemas["Analysed"];
export type Analysing = Schemas["Analysing"];
export type Assessed = Schemas["AssessedShown"];
export type Best = Schemas["BestShown"];
export type Blocked = Schemas["Blocked"];
export type Bot = Schemas["BotShown"];
export type Career = Schemas["CareerShown"];
export type Catalogue = Schemas["Catalogue"];
export type Challenge = Schemas["ChallengeShown"];
export type Challenges = Schemas["ChallengesShown"];
export type ChallengeWanted = Schemas["ChallengeWanted"];
export type ListedChallenge = Schemas["ChallengeListed"];
export type Choice = Schemas["ChoiceView"];
export type Command = Schemas["Command"];
export type Counsel = Schemas["CounselShown"];
export type Counted = Schemas["CountedShown"];
export type DiceStatistics = Schemas["DiceShown"];
export type DieDue = Schemas["DieDue"];
export type DieView = Schemas["DieView"];
export type DiscView = Schemas["DiscView"];
export type Drawing = Schemas["DrawingShown"];
export type Entry = Schemas["EntryShown"];
export type Estimate = Schemas["EstimateShown"];
export type Game = Schemas["GameShown"];
export type GameDice = Schemas["GameDice"];
export type Gauge = Schemas["Gauge"];
export type Hello = Schemas["Hello"];
export type Judged = Schemas["JudgedShown"];
export type KindOfDie = Schemas["KindShown"];
export type Answer = Schemas["AnswerShown"];
export type Calibration = Schemas["CalibrationShown"];
export type Guess = Schemas["GuessShown"];
export type Learnt = Schemas["LearnShown"];
export type Lesson = Schemas["LessonShown"];
export type Mistakes = Schemas["MistakesShown"];
export type RollToGuess = Schemas["RollShown"];
export type Streak = Schemas["StreakShown"];
export type Listed = Schemas["ListedTable"];
export type LogLine = Schemas["LogLine"];
export type Look = Schemas["LookShown"];
/** What is needed to draw a die. */
export type DieFace = Pick<
  DieView,
  "token" | "label" | "colour" | "ring" | "drawn" | "pips" | "flag" | "called" | "name"
>;
export type Meter = Schemas["Meter"];
export type Moment = Schemas["MomentShown"];
export type News = Schemas["News"];
export type Option = Schemas["OptionShown"];
export type Position = Schemas["PositionShown"];
export type Presence = Schemas["PresenceShown"];
export type Problem = Schemas["Problem"];
export type Rated = Schemas["RatedShown"];
export type Ratings = Schemas["Ratings"];
export type Report = Schemas["ReportShown"];
export type Result = Schemas["ResultShown"];
export type Rules = Schemas["RulesShown"];
export type RulesBlock = Schemas["RulesBlock"];
export type Seat = Schemas["SeatShown"];
export type SeatReport = Schemas["SeatReportShown"];
/** Who sits at a table, and how many games each has won. */
export type Seated = Pick<Status, "seats" | "wins">;
export type Shape = Schemas["ShapeShown"];
export type Stage = Schemas["Stage"];
export type Status = Schemas["Status"];
export type Story = Schemas["StoryShown"];
export type Table = Schemas["TableShown"];
export type TableOpened = Schemas["TableOpened"];
export type TableWanted = Schemas["TableWanted"];
export type Tables = Schemas["Tables"];
export type Track = Schemas["Track"];
export type Tried = Schemas["TryShown"];
export type Trouble = Schemas["Trouble"];
export type View = Schemas["View"];
export type Wanted = Schemas["Wanted"];
export type Working = Schemas["Working"];

/** A message of the server over a table's socket. */
export type ServerMessage = Table | News | Advice | Working | Trouble | Presence | Problem;
