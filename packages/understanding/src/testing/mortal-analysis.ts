import analyse, { type Analysis, type AnalysisRequest } from '../enrich/analyse.ts'

/** The analysis in a thread that does not survive the word `deadly`, and does not come to an end of `endless`. */
export default function mortal(request: AnalysisRequest): Analysis {
  if (request.text.includes('deadly')) process.exit(1)
  while (request.text.includes('endless'));
  return analyse(request)
}
