package tutti.mpi.programs;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import mpi.Explanation;
import org.junit.jupiter.api.Test;

class ExplanationTextTest {
    private final Explanation served = new Explanation("allreduce", "ring 1.0.0", "ring", 40,
        List.of(new Explanation.Other("basic 0.1.0", "priority 10 is below 40 of ring"), new Explanation.Other("odd", "says \"\\\n")));
    private final Explanation bare = new Explanation("scan", null, null, 0, List.of());

    @Test
    void shouldWriteALinePerOperationAndAnIndentedOnePerOtherModule() {
        assertEquals("""
            allreduce  ring 1.0.0, algorithm ring, priority 40
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
            [{"module": "basic 0.1.0", "reason": "priority 10 is below 40 of ring"}, {"module": "odd", "reason": "says \\"\\\\\\u000a"}]},
              {"operation": "scan", "module": null, "algorithm": null, "priority": 0, "others": []}
            ]
            """, ExplanationText.json(List.of(served, bare)));
    }
}
