import type { getDocumentProxy } from 'unpdf'

export type PdfDocument = Awaited<ReturnType<typeof getDocumentProxy>>
export type PdfPage = Awaited<ReturnType<PdfDocument['getPage']>>
export type PdfItem = Awaited<ReturnType<PdfPage['getTextContent']>>['items'][number]
export type PdfTextItem = Extract<PdfItem, { str: string }>
