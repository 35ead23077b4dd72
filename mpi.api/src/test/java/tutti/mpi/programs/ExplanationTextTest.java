package tutti.mpi.programs;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import mpi.Explanation;
import org.junit.jupiter.api.Test;

class ExplanationTextTest {
    private final Explanation served = new Explanation("allreduce", "ring 1.0.0", "ring", 40,
        List.of(new Explanation.Other("basic 0.1.0", "priority 10 is below 40 of ring"), new Explanation.Other("odd", "says \"\\\n")),
        "rule 1 of t: allreduce: ring",
        List.of("rule 2 of t cannot select x: module x is not used on this communicator"),
        List.of(new Explanation.Choice("", 0, 65_536, "ring 1.0.0", "ring", "rule 1 of t"),
            new Explanation.Choice("", 65_537, Long.MAX_VALUE, null, null, null),
            new Explanation.Choice("not commutative", 0, Long.MAX_VALUE, "basic 0.1.0", "x", null)),
        List.of("basic/x"));
    private final Explanation bare = new Explanation("scan", null, null, 0, List.of(), null, List.of(), List.of(), List.of());

    @Test
    void shouldWriteALinePerOperationAndAnIndentedOnePerOtherModule() {
        assertEquals("""
            allreduce  ring 1.0.0, algorithm ring, priority 40
              rule 1 of t: allreduce: ring
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
              {"operation": "allreduce", "module": "ring 1.0.0", "algorithm": "ring", "priority": 40, "others": \
            [{"module": "basic 0.1.0", "reason": "priority 10 is below 40 of ring"}, {"module": "odd", "reason": "says \\"\\\\\\u000a"}], \
            "rule": "rule 1 of t: allreduce: ring", "notes": ["rule 2 of t cannot select x: module x is not used on this communicator"], "choices": \
            [{"calls": "", "fromBytes": 0, "toBytes": 65536, "module": "ring 1.0.0", "algorithm": "ring", "rule": "rule 1 of t"}, \
            {"calls": "", "fromBytes": 65537, "toBytes": null, "module": null, "algorithm": null, "rule": null}, \
            {"calls": "not commutative", "fromBytes": 0, "toBytes": null, "module": "basic 0.1.0", "algorithm": "x", "rule": null}], \
            "offers": ["basic/x"]},
              {"operation": "scan", "module": null, "algorithm": null, "priority": 0, "others": [], "rule": null, "notes": [], "choices": [], \
            "offers": []}
            ]
            """, ExplanationText.json(List.of(served, bare)));
    }
}
