/** A subject: its name, the broad category it belongs to, words that are typical of it. */
export interface Subject {
  topic: string
  category: string
  seeds: string
}

const rows: [category: string, topic: string, seeds: string][] = [
  [
    'science and technology',
    'software',
    'software, programming, code, computer program, database, bug, server, API',
  ],
  [
    'science and technology',
    'artificial intelligence',
    'machine learning, neural network, model training, AI',
  ],
  [
    'science and technology',
    'physics and astronomy',
    'physics, telescope, planet, star, galaxy, particle, orbit',
  ],
  ['science and technology', 'biology', 'biology, cell, gene, species, evolution, animal, plant'],
  [
    'science and technology',
    'chemistry and materials',
    'chemistry, molecule, reaction, catalyst, polymer, alloy',
  ],
  [
    'science and technology',
    'engineering',
    'engineering, machine, mechanical part, aircraft wing, bridge, circuit, motor',
  ],
  ['science and technology', 'mathematics', 'mathematics, theorem, equation, proof, algebra, statistics'],
  ['health', 'medicine', 'medicine, patient, disease, treatment, hospital, clinical trial, doctor, vaccine'],
  ['health', 'fitness and wellbeing', 'exercise, yoga, sleep, mental health, stress, meditation, diet'],
  [
    'business',
    'finance',
    'finance, revenue, profit, investment, bank, stock market, interest rate, quarterly report',
  ],
  ['business', 'marketing and sales', 'marketing, advertising, brand, customer, sales campaign, retail'],
  ['business', 'work and management', 'meeting, project plan, team, employee, manager, hiring, deadline'],
  ['society', 'politics', 'politics, government, election, parliament, minister, vote, president, policy'],
  ['society', 'law', 'law, contract, court, judge, legal agreement, liability, license, rights'],
  ['society', 'education', 'education, school, teacher, student, university, lesson, exam, curriculum'],
  ['society', 'history', 'history, ancient, empire, war, century, archaeology, king, medieval'],
  ['society', 'religion and philosophy', 'religion, church, god, prayer, philosophy, ethics, belief'],
  ['society', 'military and security', 'army, soldier, weapon, police, security, crime, attack'],
  ['arts', 'music', 'music, song, album, band, concert, melody, guitar, singer'],
  ['arts', 'film and television', 'film, movie, actor, director, television series, scene, cinema'],
  ['arts', 'literature', 'novel, poem, author, story, character, fiction, book review'],
  [
    'arts',
    'visual arts and design',
    'painting, drawing, museum, photography, sculpture, design, architecture',
  ],
  ['life', 'food and cooking', 'recipe, cooking, food, kitchen, bake, ingredients, restaurant, meal'],
  ['life', 'travel and places', 'travel, hotel, journey, tourist, beach, city guide, flight, sightseeing'],
  ['life', 'home and family', 'home, family, children, garden, furniture, house, parents, pets'],
  ['sports', 'sports', 'sport, football match, team scored, tournament, championship, athlete, goal'],
  [
    'environment',
    'environment and climate',
    'climate, environment, energy, pollution, emissions, forest, weather',
  ],
]

export const TAXONOMY: readonly Subject[] = rows.map(([category, topic, seeds]) => ({
  category,
  topic,
  seeds,
}))
