package tutti.mpi.programs;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayOutputStream;
import java.util.List;
import mpi.Explanation;
import org.junit.jupiter.api.Test;
import tutti.runtime.introspect.PartSummary;

class ExplanationTextTest {
    private final Explanation served = new Explanation("allreduce", "ring 1.0.0", "ring",
        List.of(new Explanation.Parameter("segment", "8192", "rule 1 of t"), new Explanation.Parameter("k", "2", "coll.ring.k"),
            new Explanation.Parameter("throttle", "8", null)),
        40,
        List.of(new Explanation.Other("basic 0.1.0", "priority 10 is below 40 of ring"), new Explanation.Other("odd", "says \"\\\n")),
        "rule 1 of t: allreduce: ring",
        List.of("rule 2 of t cannot select x: module x is not used on this communicator"),
        List.of(new Explanation.Choice("", 0, 65_536, "ring 1.0.0", "ring", "rule 1 of t"),
            new Explanation.Choice("", 65_537, Long.MAX_VALUE, null, null, null),
            new Explanation.Choice("not commutative", 0, Long.MAX_VALUE, "basic 0.1.0", "x", null)),
        List.of("basic/x", "ring/ring"), List.of(new Explanation.Tunable("ring/ring", "segment", "65536", "bytes", List.of(8192L, 65_536L))));
    private final Explanation bare = new Explanation("scan", null, null, List.of(), 0, List.of(), null, List.of(), List.of(), List.of(),
        List.of());

    /** The reductions within two nodes, as four ranks explain them. */
    private final List<List<PartSummary>> parts = List.of(gathered(part(0), part(0), part(1), part(1)), List.of());

    private static Explanation.Part part(final int node) {
        return new Explanation.Part("reduce", "W/smp.node." + node, 1024, "smp 1.0.0", "shared", "rule 2 of \"t\"");
    }

    private static List<PartSummary> gathered(final Explanation.Part... ofRanks) {
        final ByteArrayOutputStream all = new ByteArrayOutputStream();
        final int[] lengths = new int[ofRanks.length];
        for (int r = 0; r < ofRanks.length; r++) {
            final byte[] own = ExplainedParts.write(List.of(ofRanks[r]));
            lengths[r] = own.length;
            all.writeBytes(own);
        }
        return ExplainedParts.read(all.toByteArray(), lengths);
    }

    @Test
    void shouldWriteALinePerOperationAndAnIndentedOnePerOtherModule() {
        assertEquals("""
            allreduce  ring 1.0.0, algorithm ring, priority 40
              rule 1 of t: allreduce: ring
              parameters segment=8192 (rule 1 of t), k=2 (-p coll.ring.k), throttle=8 (default)
              bytes ..64K: ring 1.0.0, algorithm ring (rule 1 of t)
              bytes 65537..: no module
              not commutative, bytes any: basic 0.1.0, algorithm x
              rule 2 of t cannot select x: module x is not used on this communicator
              not basic 0.1.0: priority 10 is below 40 of ring
              not odd: says "\\

              parts of a call of 1024 bytes:
                reduce, 1K bytes, on W/smp.node.0 (ranks 0-1), W/smp.node.1 (ranks 2-3): smp 1.0.0, algorithm shared (rule 2 of "t")
            scan  no module
            """, ExplanationText.lines(List.of(served, bare), parts, 1024));
    }

    @Test
    void shouldWriteJsonWhateverReasonsContain() {
        assertEquals("""
            [
              {"operation": "allreduce", "module": "ring 1.0.0", "algorithm": "ring", "parameters": [{"name": "segment", \
            "value": "8192", "origin": "rule 1 of t"}, {"name": "k", "value": "2", "origin": "coll.ring.k"}, {"name": "throttle", "value": "8", \
            "origin": null}], "priority": 40, "others": \
            [{"module": "basic 0.1.0", "reason": "priority 10 is below 40 of ring"}, {"module": "odd", "reason": "says \\"\\\\\\u000a"}], \
            "rule": "rule 1 of t: allreduce: ring", "notes": ["rule 2 of t cannot select x: module x is not used on this communicator"], "choices": \
            [{"calls": "", "fromBytes": 0, "toBytes": 65536, "module": "ring 1.0.0", "algorithm": "ring", "rule": "rule 1 of t"}, \
            {"calls": "", "fromBytes": 65537, "toBytes": null, "module": null, "algorithm": null, "rule": null}, \
            {"calls": "not commutative", "fromBytes": 0, "toBytes": null, "module": "basic 0.1.0", "algorithm": "x", "rule": null}], \
            "offers": ["basic/x", "ring/ring"], "tunables": [{"algorithm": "ring/ring", "parameter": "segment", "value": "65536", "limit": "bytes", \
            "candidates": [8192, 65536]}], "parts": [\
            {"operation": "reduce", "communicator": "W/smp.node.0", "ranks": [0, 1], "calls": 1, "fromBytes": 1024, "toBytes": 1024, \
            "module": "smp 1.0.0", "algorithm": "shared", "reason": "rule 2 of \\"t\\""}, \
            {"operation": "reduce", "communicator": "W/smp.node.1", "ranks": [2, 3], "calls": 1, "fromBytes": 1024, "toBytes": 1024, \
            "module": "smp 1.0.0", "algorithm": "shared", "reason": "rule 2 of \\"t\\""}]},
              {"operation": "scan", "module": null, "algorithm": null, "parameters": [], "priority": 0, "others": [], \
            "rule": null, "notes": [], "choices": [], "offers": [], "tunables": [], "parts": []}
            ]
            """, ExplanationText.json(List.of(served, bare), parts));
    }
}
