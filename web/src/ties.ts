/* Nodes that are tied to a body drawn as a mesh: where its deformation is exaggerated they go along. A node is tied
   where a joint has it together with both nodes of the body. */
import type {Model} from './declarations';

interface Tie {
  node: number;
  body: number;
}

export class Ties {
  private all: Tie[] = [];

  constructor(
    model: Model,
    private reference: Float64Array,
  ) {
    for (const m of model.meshes)
      for (const j of model.joints)
        if (m.modes && j.nodes.includes(m.node) && j.nodes.includes(m.modal))
          for (const node of j.nodes)
            if (node !== m.node && node !== m.modal && model.nodes[node]?.lies && !model.nodes[node].still)
              this.all.push({node, body: m.node});
  }

  /* x: their way from where they were if the body had kept its form is f times as long. */
  bend(was: Float64Array, now: Float64Array, turn: Float64Array, f: number): void {
    const {reference} = this;
    for (const {node, body} of this.all)
      for (let j = 0; j < 3; j++) {
        let rigid = was[3 * body + j];
        for (let k = 0; k < 3; k++)
          rigid += turn[9 * body + 3 * j + k] * (reference[3 * node + k] - reference[3 * body + k]);
        now[3 * node + j] = rigid + f * (was[3 * node + j] - rigid);
      }
  }
}
