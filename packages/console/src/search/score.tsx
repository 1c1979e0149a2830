import type { SearchResult } from '@medialog/client'
import { Caption } from '../parts/caption.tsx'
import { t } from '../texts/texts.ts'

const percent = (share: number): number => Math.round(share * 100)

/** A score taken apart: how much of it comes from words, how much from meaning, and what raised it above both. */
export function Score({ score, parts }: { score: number; parts: SearchResult['score_parts'] }) {
  const { lexical, semantic, lexical_weight: weight } = parts
  const words = weight * lexical
  const meaning = (1 - weight) * semantic
  const raised = Math.max(0, score - words - meaning)
  // Rounded so that they add up to the score as it is shown.
  const shownWords = percent(words)
  const shownRaised = raised > 0.0005 ? percent(raised) : 0
  const shownMeaning = percent(score) - shownWords - shownRaised
  return (
    <details className="score">
      <summary>
        <span className="score-number">{percent(score)}</span>
        <span
          className="score-bar"
          role="img"
          aria-label={t.search.scoreOf(percent(score), shownWords, shownMeaning)}
        >
          <span className="words-part" style={{ width: `${words * 100}%` }} />
          <span className="meaning-part" style={{ width: `${meaning * 100}%` }} />
          <span className="raised-part" style={{ width: `${raised * 100}%` }} />
        </span>
      </summary>
      <table>
        <Caption>{t.search.score}</Caption>
        <tbody>
          <Part kind="words" name={t.search.words} side={lexical} weight={weight} part={shownWords} />
          <Part
            kind="meaning"
            name={t.search.meaning}
            side={semantic}
            weight={1 - weight}
            part={shownMeaning}
          />
          {shownRaised > 0 && (
            <tr>
              <th scope="row">
                <span className="dot raised-part" /> {t.search.raised}
              </th>
              <td colSpan={3} />
              <td>{shownRaised}</td>
            </tr>
          )}
          <tr>
            <th scope="row">{t.search.score}</th>
            <td colSpan={3} />
            <td>
              <strong>{percent(score)}</strong>
            </td>
          </tr>
        </tbody>
      </table>
    </details>
  )
}

interface PartProps {
  kind: 'words' | 'meaning'
  name: string
  side: number
  weight: number
  /** Of 100. */
  part: number
}

const Part = ({ kind, name, side, weight, part }: PartProps) => (
  <tr>
    <th scope="row">
      <span className={`dot ${kind}-part`} /> {name}
    </th>
    <td>{percent(side)}</td>
    <td className="soft">× {weight.toFixed(2)}</td>
    <td className="soft">=</td>
    <td>{part}</td>
  </tr>
)
