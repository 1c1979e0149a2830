#!/usr/bin/env python3
"""Rewrites the first graph, minilm-int8.onnx of standard operators alone, into the one that is shipped.

    first=$(git log --diff-filter=A --format=%h -- minilm-int8.onnx | tail -1)
    git show $first:./minilm-int8.onnx > first.onnx
    python3 -m venv venv && venv/bin/pip install numpy onnx==1.23.2
    venv/bin/python fuse.py first.onnx model.onnx

Weights, biases and tables are those of the first graph, bit by bit. What changes is how they are put to work:

- One text a run: [1, seq] in, [1, 384] out, no attention mask. Padding and masking are gone.
- Inside, a row a token ([seq, 384]): no shapes to put back after every product.
- Attention is one operator.
- The bias before Gelu is a row of a matrix, not a vector: else ONNX Runtime adds it in a Gelu of its own (BiasGelu),
  which takes longer than the two.
- Weights and tables are in a file of their own, which is mapped into memory: what a text does not touch takes none, and two
  sessions share it.
- A scale per token is written with QuantizeLinear and DequantizeLinear instead of their steps. One scale a text
  (DynamicQuantizeMatMul) would be faster still, but few tokens reach far: it moves cosines twice as much.
"""
import pathlib
import sys
import numpy as np
import onnx
from onnx import TensorProto as T, helper as h, numpy_helper as nh

HIDDEN, LAYERS, HEADS, EPSILON = 384, 6, 12, 1e-12


class First:
    """What the first graph holds, in the order of its layers."""

    def __init__(self, path):
        graph = onnx.load(path).graph
        self.values = {one.name: nh.to_array(one) for one in graph.initializer}
        self.users = {name: node for node in graph.node for name in node.input}
        of = lambda kind: [node for node in graph.node if node.op_type == kind]
        self.products = [self.product(node) for node in of("MatMulInteger")]
        self.norms = [[self.values[name] for name in node.input[1:]] for node in of("LayerNormalization")]
        self.tables = [self.values[node.input[0]] for node in of("Gather") if node.input[0] in self.values]

    def product(self, node):
        """Weights [in, out], a scale per output, bias: product, cast, scale of the token, scale of the output, bias."""
        cast = self.users[node.output[0]]
        scaled = self.users[self.users[cast.output[0]].output[0]]
        return self.values[node.input[1]], self.stored(scaled).reshape(-1), self.stored(self.users[scaled.output[0]])

    def stored(self, node):
        return next(self.values[name] for name in node.input if name in self.values)


class Graph:
    def __init__(self):
        self.nodes, self.stored = [], {}

    def op(self, kind, *inputs, outputs=1, name=None, **attributes):
        number = len(self.nodes)
        names = [name or f"{kind}_{number}_{output}" for output in range(outputs)]
        self.nodes.append(h.make_node(kind, list(inputs), names, name=f"n{number}", **attributes))
        return names[0] if outputs == 1 else names

    def const(self, value, dtype=None):
        value = np.ascontiguousarray(np.asarray(value, dtype))
        key = (value.dtype.str, value.shape, value.tobytes())
        if key not in self.stored:
            self.stored[key] = nh.from_array(value, f"c{len(self.stored)}")
        return self.stored[key].name


def build(first):
    g = Graph()
    op, const = g.op, g.const
    axis = lambda number: const([number], np.int64)
    floor = const(1e-12, np.float32)

    ids = op("Squeeze", "input_ids", axis(0))
    length = op("Shape", ids)
    zero_points = op("Expand", const(128, np.uint8), length)
    positions = op("Range", const(0, np.int64), op("Squeeze", length), const(1, np.int64))

    def rows(values, scales, at):
        return op("Mul", op("Cast", op("Gather", const(values), at), to=T.FLOAT), op("Gather", const(scales), at))

    def norm(x, parameters):
        return op("LayerNormalization", x, *map(const, parameters), axis=-1, epsilon=EPSILON)

    def product(x, weights, scales, bias):
        peak = op("ReduceMax", op("Abs", x), axis(-1), keepdims=0)
        steps = op("Max", op("Mul", peak, const(1 / 127, np.float32)), floor)
        quantised = op("QuantizeLinear", x, steps, zero_points, axis=0)
        sums = op("MatMulInteger", quantised, const(weights), const(128, np.uint8))
        return op("Add", op("Mul", op("DequantizeLinear", sums, steps, axis=0), const(scales)), const(bias))

    words, word_scales, places, place_scales = first.tables
    x = norm(op("Add", rows(words, word_scales, ids), rows(places, place_scales, positions)), first.norms[0])
    for layer in range(LAYERS):
        heads, attended, wide, narrow = first.products[4 * layer : 4 * layer + 4]
        # The query's weights hold 1 / sqrt(32) already.
        parts = op("Split", op("Unsqueeze", product(x, *heads), axis(0)), outputs=3, axis=-1, num_outputs=3)
        context = op("Attention", *parts, q_num_heads=HEADS, kv_num_heads=HEADS, scale=1.0)
        x = norm(op("Add", product(op("Squeeze", context, axis(0)), *attended), x), first.norms[1 + 2 * layer])
        weights, scales, bias = wide
        inner = op("Gelu", product(x, weights, scales, bias.reshape(1, -1)))
        x = norm(op("Add", product(inner, *narrow), x), first.norms[2 + 2 * layer])
    mean = op("ReduceMean", x, axis(0), keepdims=1)
    op("Div", mean, op("Max", op("ReduceL2", mean, axis(-1), keepdims=1), floor), name="embedding")

    graph = h.make_graph(
        g.nodes,
        "all-MiniLM-L6-v2",
        [h.make_tensor_value_info("input_ids", T.INT64, [1, "seq"])],
        [h.make_tensor_value_info("embedding", T.FLOAT, [1, HIDDEN])],
        list(g.stored.values()),
    )
    return h.make_model(
        graph,
        opset_imports=[h.make_opsetid("", 23)],
        ir_version=11,
        producer_name="fuse.py",
        doc_string="sentence-transformers/all-MiniLM-L6-v2 (Apache-2.0), int8",
    )


if __name__ == "__main__":
    path = sys.argv[2]
    weights = pathlib.Path(path + "_data")
    weights.unlink(missing_ok=True)
    onnx.save(
        build(First(sys.argv[1])),
        path,
        save_as_external_data=True,
        location=weights.name,
        size_threshold=1024,
    )
