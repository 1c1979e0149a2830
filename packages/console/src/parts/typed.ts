import { useEffect, useRef, useState } from 'react'
import { useSettled } from './settled.ts'

/** A pause in which one has not typed on. */
const TYPING_MS = 180

/** The text of a field, which is passed on in pauses of typing. It follows `value` where that is changed by a link or by going back. */
export function useTyped(value: string, settle: (text: string) => void) {
  const [text, setText] = useState(value)
  const settled = useSettled(text, TYPING_MS)
  const said = useRef(value)
  useEffect(() => {
    if (settled === said.current) return
    said.current = settled
    settle(settled)
  }, [settled])
  useEffect(() => {
    if (value === said.current) return
    said.current = value
    setText(value)
  }, [value])
  return [text, setText] as const
}
