import type { MediaType } from '@medialog/client'
import { t } from '../texts/texts.ts'

export const TYPES = Object.keys(t.types) as MediaType[]
