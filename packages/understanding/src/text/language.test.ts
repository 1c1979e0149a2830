import { expect, test } from 'vitest'
import { languageOf } from './language.ts'

const ENGLISH =
  'The harbour was quiet in the morning, and the boats lay still under a pale sky until the wind came up.'
const GERMAN =
  'Der Hafen war am Morgen still, und die Boote lagen ruhig unter einem blassen Himmel, bis der Wind aufkam.'

test.each([
  [ENGLISH, 'en'],
  [GERMAN, 'de'],
  ['아침의 항구는 조용했고 바람이 불기 전까지 배들은 가만히 있었다.', 'ko'],
  ['朝の港は静かで、風が吹くまで船は動かなかった。', 'ja'],
  ['早晨的港口很安静，直到起风，船只都静静地停着。', 'zh'],
  [
    'Утром в гавани было тихо, и лодки стояли неподвижно, пока не поднялся ветер. Потом всё изменилось, и люди побежали к берегу, что-то крича.',
    'ru',
  ],
  [`${ENGLISH} 안녕하세요 세계`, 'en'],
  ['Havnen var stille om morgenen, og bådene lå ved kajen, til der kom vind.', 'da'],
  ['12 345.00 | 77', null],
  ['Quarter | Revenue | Date\nQ1 | 100 | 2024-01-31\nApples | Pears | Plums | Stock | Count | Green', null],
  [
    'function getUserName(id) { return users[id].name }\nconst MAX_RETRIES = 3\nexport default getUserName',
    null,
  ],
  ['From: Kim <kim@example.com>\nDate: Mon, 06 May 2024\n\n회의는 내일입니다.', 'ko'],
  ['Total', null],
])('%s', (text, language) => {
  expect(languageOf(text)).toBe(language)
})

test('what is declared counts where there is little to read, and never against what reads otherwise', () => {
  expect(languageOf('Total', 'DE')).toBe('de')
  expect(languageOf(ENGLISH, 'en-gb')).toBe('en-GB')
  expect(languageOf(`${GERMAN} ${GERMAN}`, 'en-US')).toBe('de')
  expect(languageOf('Kickoff deck\n\nNumbers | 12\n\nSpeaker note. '.repeat(4), 'en-US')).toBe('en-US')
  expect(languageOf('회의는 내일입니다. 모두 참석하세요.', 'en-US')).toBe('ko')
  expect(languageOf('Total', 'not a language!')).toBe(null)
})
