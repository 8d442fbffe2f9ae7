// The keys of torchtitan's job configuration, from its early and its present
// experiments: what is here and not obeyed is no reason for a warning.
#include "Reader.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using llvm::ArrayRef;
using llvm::StringRef;

static constexpr StringRef kSections[] = {
    "activation_checkpoint",
    "checkpoint",
    "comm",
    "compile",
    "custom_config",
    "dataloader",
    "debug",
    "dump_folder",
    "experimental",
    "fault_tolerance",
    "float8",
    "hf_assets_path",
    "job",
    "loss",
    "lr_scheduler",
    "memory_estimation",
    "metrics",
    "model",
    "model_converters",
    "model_spec",
    "mx",
    "optimizer",
    "parallelism",
    "print_config",
    "profiler",
    "profiling",
    "quantize",
    "simple_fsdp",
    "tokenizer",
    "training",
    "validation",
    "validator",
};

static constexpr StringRef kCompileKeys[] = {
    "backend",
    "components",
    "cpu_offload_budget_gb",
    "cpu_offload_defer_n_layers",
    "cpu_offload_prefetch_n_layers",
    "debug_graph_passes",
    "disable_passes",
    "enable",
    "enable_async_tensor_parallel",
    "enable_autoparallel",
    "enable_fsdp_ag_rs_overlap",
    "enable_fsdp_dense_region_overlap",
    "enable_passes",
    "ep_overlap",
    "full_recompute_save_ops",
    "graph_passes",
    "inductor_compilation",
    "joint_passes",
    "memory_policy",
    "mode",
    "model_backend_override",
    "numerics_changing_optim",
    "pass_pipeline",
    "passes",
    "precompile_artifact_dir",
};

static constexpr StringRef kActivationCheckpointKeys[] = {
    "debug",
    "determinism_check",
    "early_stop",
    "memory_budget",
    "mode",
    "per_op_sac_force_recompute_mm_shapes_by_fqns",
    "preserve_rng_state",
    "selective_ac_option",
    "visualize_memory_budget_pareto",
};

static constexpr StringRef kParallelismKeys[] = {
    "context_parallel_degree",
    "context_parallel_load_balancer",
    "context_parallel_rotate_method",
    "data_parallel_replicate_degree",
    "data_parallel_shard_degree",
    "disable_loss_parallel",
    "enable_async_tensor_parallel",
    "enable_compiled_autograd",
    "enable_sequence_parallel",
    "expert_parallel_comm_backend",
    "expert_parallel_degree",
    "expert_tensor_parallel_degree",
    "fsdp_reshard_after_forward",
    "module_fqns_per_model_part",
    "pipeline_parallel_degree",
    "pipeline_parallel_expert_parallel_overlap",
    "pipeline_parallel_first_stage_less_layers",
    "pipeline_parallel_last_stage_less_layers",
    "pipeline_parallel_layers_per_stage",
    "pipeline_parallel_microbatch_size",
    "pipeline_parallel_schedule",
    "pipeline_parallel_schedule_csv",
    "pipeline_parallel_split_points",
    "spmd_backend",
    "tensor_parallel_degree",
};

ArrayRef<StringRef> titan::getKnownSections() { return kSections; }

ArrayRef<StringRef> titan::getKnownKeys(StringRef section) {
  return llvm::StringSwitch<ArrayRef<StringRef>>(section)
      .Case("compile", kCompileKeys)
      .Case("activation_checkpoint", kActivationCheckpointKeys)
      .Case("parallelism", kParallelismKeys)
      .Default({});
}
