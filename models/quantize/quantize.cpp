// Plans a type for each tensor, then streams the tensors through the writer.
#include "models/quantize/quantize.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <new>

#include "core/quant/encode/encoder.hpp"
#include "models/io/gguf_writer.hpp"
#include "models/io/printable.hpp"
#include "models/quantize/parallel.hpp"
#include "models/quantize/tensor_encoder.hpp"

namespace weft::models {
namespace {

constexpr std::size_t copy_piece = std::size_t{16} << 20;  // bytes

/// What is to become of a tensor; `to` is none where it is copied.
struct Plan {
  const GgufTensor* tensor = nullptr;
  DType to = DType::none;
  std::string why;
};

class Quantizer {
 public:
  Quantizer(const GgufFile& input, const WeightTypes& types, const QuantizeOptions& options)
      : input_(input),
        types_(types),
        options_(options),
        threads_(options.threads > 0 ? options.threads : usable_threads()) {
    for (const GgufTensor& tensor : input.tensors()) progress_.bytes_in_all += tensor.bytes;
  }

  Result<QuantizeReport> run(const std::filesystem::path& output) {
    if (!can_encode(options_.type)) {
      return fail(ErrorCode::invalid_argument, "weights can't be rounded to {}; types with an encoder are {}",
                  name_of(options_.type), encodable_names());
    }
    if (auto planned = plan(); !planned) return error_of(planned);
    GgufWriter writer(input_.version());
    if (auto set = set_metadata(writer); !set) return error_of(set);
    report_.tensors.resize(plans_.size());
    for (std::size_t i = 0; i < plans_.size(); ++i) {
      if (auto added = add(writer, i); !added) return error_of(added, printable(input_.path().string(), 400));
    }
    if (auto written = writer.write(output, input_.files()); !written) return error_of(written);
    note_what_people_should_know();
    return std::move(report_);
  }

 private:
  static std::string encodable_names() {
    std::string names;
    for (const DType type : encodable_types()) names += fmt::format("{}{}", names.empty() ? "" : ", ", name_of(type));
    return names;
  }

  Status plan() {
    const bool tied = input_.find_tensor("output.weight") == nullptr;
    const std::string_view head = tied ? "token_embd.weight" : "output.weight";
    std::int64_t layers = 0;
    if (const auto architecture = input_.text("general.architecture"); architecture && *architecture) {
      if (const auto count = input_.integer(**architecture + ".block_count")) layers = count->value_or(0);
    }
    for (const GgufTensor& tensor : input_.tensors()) {
      Plan plan{&tensor, DType::none, "not a type to compute with"};
      if (tensor.dtype != DType::none && tensor.dtype != DType::i32) {
        auto choice = types_.choose({tensor.name, tensor.dims, tensor.name == head, layers}, options_.type);
        if (!choice) return error_of(choice);
        if (!can_encode(choice->type)) {
          return fail(ErrorCode::invalid_argument, "tensor {} should become {}, for which there is no encoder",
                      printable(tensor.name), name_of(choice->type));
        }
        plan.to = choice->type;
        plan.why = std::move(choice->why);
      }
      plans_.push_back(std::move(plan));
    }
    return {};
  }

  Status set_metadata(GgufWriter& writer) const {
    for (const auto& [key, value] : input_.metadata()) {
      if (key.starts_with("split.")) continue;  // the output is one file
      auto stored = input_.stored(key);
      if (!stored) return error_of(stored, fmt::format("metadata key '{}'", printable(key)));
      writer.set(key, std::move(*stored));
    }
    if (const auto label = file_type_of(options_.type)) writer.set("general.file_type", *label);
    if (std::ranges::any_of(plans_, [](const Plan& p) { return p.to != DType::none && is_quantised(p.to); })) {
      writer.set("general.quantization_version", quantization_version);
    }
    return {};
  }

  Status add(GgufWriter& writer, std::size_t index) {
    const Plan& plan = plans_[index];
    GgufTensorSpec spec{plan.tensor->name, plan.tensor->ggml_type, plan.tensor->dims};
    if (plan.to != DType::none) spec.type = plan.to;
    return writer.add_streamed(std::move(spec), [this, index](const GgufWriter::Append& append) {
      return stream(plans_[index], append, report_.tensors[index]);
    });
  }

  Status stream(const Plan& plan, const GgufWriter::Append& append, TensorReport& report) {
    const GgufTensor& tensor = *plan.tensor;
    const std::span data = input_.data(tensor);
    progress_.tensor = tensor.name;
    const auto take = [&](std::span<const std::byte> bytes, std::uint64_t source_bytes) -> Status {
      if (auto put = append(bytes); !put) return put;
      report.bytes_after += bytes.size();
      progress_.bytes_done += source_bytes;
      return options_.progress ? options_.progress(progress_) : Status{};
    };
    report.name = tensor.name;
    report.from = tensor.dtype == DType::none ? std::string(tensor.type_name) : std::string(name_of(tensor.dtype));
    report.to = plan.to == DType::none ? report.from : std::string(name_of(plan.to));
    report.why = plan.why;
    report.bytes_before = tensor.bytes;
    report.elements = data.empty() ? 0 : 1;
    for (const std::int64_t dim : tensor.dims) report.elements *= static_cast<std::uint64_t>(dim);
    if (report.from == report.to) return copy(data, take);
    const std::int64_t row = tensor.dims.empty() ? 1 : tensor.dims.back();
    const auto error = recode({tensor.dtype, plan.to, row, threads_}, data, take);
    if (!error) return error_of(error);
    report.relative_error = error->relative();
    report.largest_error = error->largest;
    return {};
  }

  static Status copy(std::span<const std::byte> data, const TakeEncoded& take) {
    for (std::size_t at = 0; at < data.size(); at += copy_piece) {
      const auto piece = data.subspan(at, std::min(copy_piece, data.size() - at));
      if (auto taken = take(piece, piece.size()); !taken) return taken;
    }
    return {};
  }

  void note_what_people_should_know() {
    std::size_t again = 0, foreign = 0;
    for (const Plan& plan : plans_) {
      if (plan.to == DType::none) ++foreign;
      const DType from = plan.tensor->dtype;
      if (plan.to != DType::none && plan.to != from && is_quantised(from)) ++again;
    }
    if (again > 0) {
      report_.notes.push_back(fmt::format(
          "{} tensors had been quantised before: their errors add up; start from f16, bf16 or f32 if you can", again));
    }
    if (foreign > 0) {
      report_.notes.push_back(fmt::format("{} tensors have types that weft doesn't compute with: copied", foreign));
    }
    if (input_.files().size() > 1) {
      report_.notes.push_back(fmt::format("the {} files of a split model became one", input_.files().size()));
    }
  }

  const GgufFile& input_;
  const WeightTypes& types_;
  const QuantizeOptions& options_;
  int threads_;
  std::vector<Plan> plans_;
  QuantizeReport report_;
  QuantizeProgress progress_;
};

}  // namespace

Result<QuantizeReport> quantize(const GgufFile& input, const std::filesystem::path& output, const WeightTypes& types,
                                const QuantizeOptions& options) try {
  return Quantizer(input, types, options).run(output);
} catch (const std::bad_alloc&) {
  return fail(ErrorCode::out_of_memory, "{}: a row of its tensors doesn't fit in memory",
              printable(input.path().string(), 400));
}

}  // namespace weft::models
