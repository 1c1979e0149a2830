/** Short English texts, written for these tests, with what a reader would say of them. */
export interface Labelled {
  text: string
  /** One of these is right among the topics. */
  topics: string[]
  people: string[]
  organizations: string[]
  locations: string[]
  /** Words of which one must be in the summary. */
  gist: string[]
  /** Words of which one must be among the keywords. */
  keywords: string[]
}

export const LABELLED: readonly Labelled[] = [
  {
    text: 'Maria Schmidt, chief economist at Deutsche Bank, said in Berlin that the European Central Bank would raise interest rates. Inflation in Germany rose to four percent in spring. Savers will welcome higher rates, she said, while companies with large loans will suffer.',
    topics: ['finance'],
    people: ['Maria Schmidt'],
    organizations: ['Deutsche Bank', 'European Central Bank'],
    locations: ['Berlin', 'Germany'],
    gist: ['rates'],
    keywords: ['interest rates', 'inflation', 'european central bank', 'rates'],
  },
  {
    text: 'Whisk the eggs with sugar until they are pale. Fold in the flour and the melted butter, then pour the batter into a tin. Bake the cake for forty minutes at 180 degrees. Let it cool before you spread the chocolate cream on top.',
    topics: ['food and cooking'],
    people: [],
    organizations: [],
    locations: [],
    gist: ['bake', 'batter', 'cake'],
    keywords: ['cake', 'batter', 'chocolate cream', 'melted butter', 'flour'],
  },
  {
    text: 'The telescope detected a planet that orbits a small red star. Astronomers at the University of Leiden measured how the star grew dim each time the planet passed. The planet is twice as heavy as Earth and may hold water. John Carter, who led the work, called the signal very clear.',
    topics: ['physics and astronomy'],
    people: ['John Carter'],
    organizations: ['University of Leiden'],
    locations: [],
    gist: ['planet'],
    keywords: ['planet', 'telescope', 'astronomers', 'red star', 'small red star', 'star'],
  },
  {
    text: 'Patients in the trial received the new vaccine twice. After six months the disease had become rare among them. Doctors at Saint Mary Hospital in London saw only mild fever as a side effect. The agency will decide on approval of the vaccine in autumn.',
    topics: ['medicine'],
    people: [],
    organizations: ['Saint Mary Hospital'],
    locations: ['London'],
    gist: ['vaccine', 'disease'],
    keywords: ['vaccine', 'patients', 'disease', 'mild fever', 'new vaccine', 'trial'],
  },
  {
    text: 'The database answered slowly because an index was missing. Sarah Miller found the query in the log of the server and rewrote it. After the release the API responded in ten milliseconds. The team added a test so that the bug cannot return.',
    topics: ['software'],
    people: ['Sarah Miller'],
    organizations: [],
    locations: [],
    gist: ['database', 'api', 'query'],
    keywords: ['database', 'query', 'api', 'server', 'index'],
  },
  {
    text: 'The band recorded its third album in an old church near Dublin. Guitars and a small choir carry the melodies. Singer Emma Walsh wrote most of the songs on tour. The album ends with a quiet song for piano and voice.',
    topics: ['music'],
    people: ['Emma Walsh'],
    organizations: [],
    locations: ['Dublin'],
    gist: ['album', 'song', 'songs'],
    keywords: ['album', 'third album', 'band', 'melodies', 'songs', 'guitars'],
  },
  {
    text: 'Parliament voted on the new election law on Thursday. The minister defended the reform against the opposition. Critics fear that small parties will lose their seats. President Thomas Reed must sign the law before the next election in France.',
    topics: ['politics'],
    people: ['Thomas Reed'],
    organizations: [],
    locations: ['France'],
    gist: ['law', 'election'],
    keywords: ['election law', 'new election law', 'parliament', 'reform', 'election', 'next election'],
  },
  {
    text: 'The home team scored twice in the second half and won the final. The goalkeeper stopped a penalty shortly before the end. Coach David Brown praised the young players after the match. The championship was the first for the club in thirty years.',
    topics: ['sports'],
    people: ['David Brown'],
    organizations: [],
    locations: [],
    gist: ['team', 'final', 'championship', 'match'],
    keywords: ['championship', 'goalkeeper', 'penalty', 'home team', 'young players'],
  },
  {
    text: 'Emissions from power plants fell by a tenth last year. Wind and sun now supply more energy than coal. Forests in Brazil, however, continued to shrink. Scientists warn that the climate goal will be missed without further steps.',
    topics: ['environment and climate'],
    people: [],
    organizations: [],
    locations: ['Brazil'],
    gist: ['emissions', 'climate', 'energy'],
    keywords: ['emissions', 'power plants', 'climate goal', 'forests', 'energy', 'coal'],
  },
  {
    text: 'Each party shall keep the information of the other party confidential. The contract is governed by the law of Switzerland. Neither party is liable for indirect damage. A dispute that arises from this contract goes to the court in Geneva.',
    topics: ['law'],
    people: [],
    organizations: [],
    locations: ['Switzerland', 'Geneva'],
    gist: ['contract', 'party'],
    keywords: ['contract', 'indirect damage', 'dispute', 'party', 'court'],
  },
  {
    text: 'The neural network learned to name objects in photographs. Researchers at Google trained it on ten million labelled images. A larger model made fewer mistakes but took twice as long to train. The method also works for machine translation.',
    topics: ['artificial intelligence'],
    people: [],
    organizations: ['Google'],
    locations: [],
    gist: ['network', 'model', 'trained'],
    keywords: [
      'neural network',
      'machine translation',
      'larger model',
      'images',
      'labelled images',
      'photographs',
    ],
  },
  {
    text: 'The teacher gives each student a short exam at the end of the lesson. Pupils who read at home learn new words faster. The school in Oslo changed its curriculum for that reason. Anna Larsen, the head of the school, wants more time for reading.',
    topics: ['education'],
    people: ['Anna Larsen'],
    organizations: [],
    locations: ['Oslo'],
    gist: ['school', 'student', 'pupils', 'teacher'],
    keywords: ['curriculum', 'school', 'teacher', 'short exam', 'pupils', 'student', 'lesson'],
  },
]
