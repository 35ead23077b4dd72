package tutti.daemon.control;

import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import tutti.daemon.modules.ChangePhase;
import tutti.runtime.module.ModuleId;
import tutti.runtime.module.QuarantinedModule;

/** Questions and orders of a node to another one about its modules. */
interface ModuleQuestions {

    /** Removes modules once no job uses them; returns true. */
    CompletionStage<Boolean> retire(List<ModuleId> modules);

    /** Takes over which modules are in quarantine. */
    CompletionStage<Void> quarantined(List<QuarantinedModule> changed);

    /** Returns the phase of a change of modules; null when the node has lost its state. */
    CompletionStage<@Nullable ChangePhase> phase(String change);

    /** Installs a module of the node on another node; returns why not, empty when it is installed. */
    CompletionStage<String> send(ModuleId module, String to);
}
