package tutti.mpi.programs;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;
import tutti.coll.Buffer;
import tutti.runtime.introspect.PlannedPart;
import tutti.runtime.introspect.PlannedTask;
import tutti.runtime.introspect.RankPlan;

class PlanJsonTest {
    @Test
    void shouldWriteEveryComponent() {
        assertEquals("""
            {"operation":"bcast","module":"basic 0.1.0","algorithm":"bino\\"mial","reason":"priority 10","size":3,"bytes":8,"block":-1,"data":"",\
            "root":2,"rank":1,"node":"a","scratchBytes":64,"parts":[\
            {"first":0,"last":0,"operation":"bcast","communicator":"WORLD/x","bytes":8,"module":"tree 1.0.0","algorithm":"kary",\
            "reason":"rule 1 of \\"t\\""}],"total":2,"tasks":[\
            {"id":0,"kind":"RECV","from":null,"into":{"buffer":"RECV","offset":0,"bytes":8},"bytes":8,"peer":2,"number":1,"context":4,"part":5,\
            "module":{"name":"Engine","operation":null,"reads":[],"writes":[]},"after":[]},\
            {"id":1,"kind":"FENCE","from":null,"into":null,"bytes":0,"peer":-1,"number":0,"context":4,"part":5,\
            "module":null,"after":[0]}]}""",
            PlanJson.of(new RankPlan("bcast", "basic 0.1.0", "bino\"mial", "priority 10", 3, 8, -1, "", 2, 1, "a", 64, List.of(
                new PlannedPart(0, 0, "bcast", "WORLD/x", 8, "tree 1.0.0", "kary", "rule 1 of \"t\"")), 2,
                List.of(
                    new PlannedTask(0, PlannedTask.Kind.RECV, null, Buffer.RECV.at(0, 8), 8, 2, 1, 4, 5,
                        new PlannedTask.ByModule("Engine", null, List.of(), List.of()), List.of()),
                    new PlannedTask(1, PlannedTask.Kind.FENCE, null, null, 0, -1, 0, 4, 5, null, List.of(0))))));
    }
}
