/**
 * What a stream may do, as data: commands in, events out, state folded from events.
 * No I/O, no clock, no randomness inside: what a decision needs comes in with the command.
 */
export interface Decider<Command, Event, State> {
  /** A fresh state; a function, because `evolve` may update the state it is given in place. */
  initialState(): State
  /** Folds one event in. Owns `state`: may change and return it. Never throws on a valid history. */
  evolve(state: State, event: Event): State
  /** The events that the command causes: none when it was carried out before. Throws a DomainError to refuse. */
  decide(command: Command, state: State): readonly Event[]
}

/** The state after a whole history. */
export function fold<Command, Event, State>(
  decider: Decider<Command, Event, State>,
  events: Iterable<Event>,
  state: State = decider.initialState(),
): State {
  for (const event of events) state = decider.evolve(state, event)
  return state
}
