package tutti.mpi.programs;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import mpi.Explanation;
import org.junit.jupiter.api.Test;

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

            scan  no module
            """, ExplanationText.lines(List.of(served, bare)));
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
            "candidates": [8192, 65536]}]},
              {"operation": "scan", "module": null, "algorithm": null, "parameters": [], "priority": 0, "others": [], \
            "rule": null, "notes": [], "choices": [], "offers": [], "tunables": []}
            ]
            """, ExplanationText.json(List.of(served, bare)));
    }
}
